/**
 * What was begun, or the signal's reason as soon as it aborts. undici itself hears of an abort only once a connection is open, which can take
 * as long as connecting may: the call is then never sent, but whoever waits for it need not wait for that.
 */
export async function unlessAborted<T>(begun: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason instanceof Error ? signal.reason : new Error('aborted', { cause: signal.reason }));
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  return Promise.race([begun, promise]).finally(() => signal.removeEventListener('abort', abort));
}
