import type { Log } from './log.ts';

/** Makes one story of the failures of a server: it is away, and then it is back. */
export interface Outage {
  /** A request came to nothing. */
  failed(error: unknown): void;
  /** A request was answered, whatever the answer. */
  answered(): void;
}

export interface OutageOptions {
  /** Told once, of the first failure after {@link OutageOptions.patienceMs} without an answer. */
  readonly onBegin: (error: unknown) => void;
  /** Told once, with how long it lasted. Only for an outage that was told. */
  readonly onEnd: (lastedMs: number) => void;
  /** A failure that others are answered soon after is none of the server. Real time. */
  readonly patienceMs: number;
  /** Steady time in milliseconds. */
  readonly now?: () => number;
}

export function outage({ onBegin, onEnd, patienceMs, now = () => performance.now() }: OutageOptions): Outage {
  let since: number | undefined;
  let isTold = false;
  return {
    failed(error) {
      since ??= now();
      if (isTold || now() - since < patienceMs) return;
      isTold = true;
      onBegin(error);
    },
    answered() {
      const began = since;
      const wasTold = isTold;
      since = undefined;
      isTold = false;
      if (wasTold && began !== undefined) onEnd(now() - began);
    },
  };
}

/** A server that ends its connections is back at once as a rule. */
const patienceMs = 2_000;

/** One line when a server is away, and one when it is back. @param meanwhile what becomes of people's things until then */
export function toldOutage(who: string, meanwhile: string, log: Log): Outage {
  return outage({
    patienceMs,
    onBegin: (error) =>
      log.warn({ error: error instanceof Error ? wordsOf(error) : String(error) }, `${who} does not answer: ${meanwhile}`),
    onEnd: (lastedMs) => log.info({}, `${who} answers again, after ${Math.round(lastedMs / 1_000)} s`),
  });
}

/** Of several, where several addresses were tried; the code of an error that has no words. */
function wordsOf(error: Error): string {
  const errors = error instanceof AggregateError ? error.errors.filter((each) => each instanceof Error) : [];
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.name;
  return error.message || errors.map(({ message }) => message).join(', ') || code;
}
