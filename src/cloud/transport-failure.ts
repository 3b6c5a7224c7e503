/**
 * Why a request did not get its reply, as a cause to show: the words and the code of the failure and nothing else of it, since the HTTP client's
 * own errors carry the bytes that they stumbled over.
 */
export class TransportFailure extends Error {
  override readonly name = 'TransportFailure';
  readonly code: string | undefined;

  constructor(message: string, code: string | undefined) {
    super(message);
    this.code = code;
    // The stack would only show where this was made.
    this.stack = `${this.name}: ${message}`;
  }
}

/** The words and the code of an error of the HTTP client; several, where several addresses were tried. */
export function wordsOf(error: Error): string {
  const errors = error instanceof AggregateError ? error.errors.filter((each) => each instanceof Error) : [];
  return error.message || errors.map(({ message }) => message).join(', ') || codeOf(error) || error.name;
}

export function codeOf(error: Error): string | undefined {
  return 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
