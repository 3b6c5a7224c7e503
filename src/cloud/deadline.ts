/** The end of a call. Its time is real time, independent of the policy clock. */
export interface Deadline extends Disposable {
  /** Aborts when the time is over or the caller aborts. */
  readonly signal: AbortSignal;
  /** `timeout`: the time was over first. `aborted`: the caller aborted first, or the call has not ended. */
  readonly kind: 'timeout' | 'aborted';
}

/** Starts the time of a call. The caller must dispose of the result when the call has ended. */
export function deadline(timeoutMs: number, caller: AbortSignal | undefined): Deadline {
  const end = new AbortController();
  let kind: Deadline['kind'] = 'aborted';
  const onAbort = () => end.abort();
  const timer = setTimeout(() => {
    if (!end.signal.aborted) kind = 'timeout';
    end.abort();
  }, timeoutMs);
  if (caller?.aborted) onAbort();
  else caller?.addEventListener('abort', onAbort, { once: true });
  return {
    signal: end.signal,
    get kind() {
      return kind;
    },
    [Symbol.dispose]() {
      clearTimeout(timer);
      caller?.removeEventListener('abort', onAbort);
    },
  };
}
