/**
 * Reads once for all who ask before that read begins; one read at a time. What somebody gets was read after he asked.
 * @returns the reader; what it throws is thrown to all who shared it
 */
export function sharedRead<T>(read: () => Promise<T>): () => Promise<T> {
  let running: Promise<unknown> = Promise.resolve();
  let next: Promise<T> | undefined;
  return () => {
    next ??= running.then(() => {
      next = undefined;
      const begun = read();
      running = begun.catch(() => undefined); // told to those who share it
      return begun;
    });
    return next;
  };
}
