/** The reason for the absence of a control plane, in words for a person; a stack trace would add nothing. */
export class ControlPlaneError extends Error {
  override readonly name: string = 'ControlPlaneError';
}
