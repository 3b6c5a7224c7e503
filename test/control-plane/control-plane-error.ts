/** Why there is no control plane, in words for the person who wanted one; a stack trace would add nothing. */
export class ControlPlaneError extends Error {
  override readonly name: string = 'ControlPlaneError';
}
