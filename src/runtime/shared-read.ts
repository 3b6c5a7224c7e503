/**
 * Shares a read among all callers that ask before it begins. Only a single read runs at a time. Each caller gets a
 * value that was read after the call.
 * @returns the reader; an error of the read reaches all callers that share it
 */
export function sharedRead<T>(read: () => Promise<T>): () => Promise<T> {
  let running: Promise<unknown> = Promise.resolve();
  let next: Promise<T> | undefined;
  return () => {
    next ??= running.then(() => {
      next = undefined;
      const begun = read();
      running = begun.catch(() => undefined); // the callers that share it get the error
      return begun;
    });
    return next;
  };
}
