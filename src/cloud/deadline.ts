/** Real time, independent of the policy clock. */
export interface Deadline extends Disposable {
  readonly signal: AbortSignal;
  readonly kind: 'timeout' | 'aborted';
}

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
