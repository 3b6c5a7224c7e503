/**
 * A mistake, or a state of the world, that ends a command. Its message is for the user: a line with the next action,
 * without secrets.
 */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}
