/**
 * The result of a promise, or the signal's reason as soon as it aborts. undici notices an abort only once a connection
 * is open; with this function the caller of the aborted request, which is never sent, need not wait for that.
 */
export async function unlessAborted<T>(begun: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = () => reject(reasonOf(signal));
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  return Promise.race([begun, promise]).finally(() => signal.removeEventListener('abort', abort));
}

/** The reason of an aborted signal, as an error. */
export function reasonOf(signal: AbortSignal | undefined): Error {
  return signal?.reason instanceof Error
    ? signal.reason
    : new Error('aborted', { cause: signal?.reason });
}
