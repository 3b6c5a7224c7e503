/** For users: only message and code. The errors of the HTTP client itself may carry bytes of the reply. */
export class TransportFailure extends Error {
  override readonly name = 'TransportFailure';
  readonly code: string | undefined;

  constructor(message: string, code: string | undefined) {
    super(message);
    this.code = code;
    // The stack would only show the place of this constructor.
    this.stack = `${this.name}: ${message}`;
  }
}

/** Several addresses may have been tried. */
export function messageOf(error: Error): string {
  const errors = error instanceof AggregateError ? error.errors.filter((each) => each instanceof Error) : [];
  return error.message || errors.map(({ message }) => message).join(', ') || codeOf(error) || error.name;
}

export function codeOf(error: Error): string | undefined {
  return 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
