import type { Log } from './log.ts';

/** Joins the failures of a server into one outage with a begin and an end. */
export interface Outage {
  /** A request got no answer. */
  failed(error: unknown): void;
  /** A request got an answer, whatever its content. */
  answered(): void;
}

export interface OutageOptions {
  /** Called once for an outage: at the first failure after {@link OutageOptions.patienceMs} without an answer. */
  readonly onBegin: (error: unknown) => void;
  /** Called once at the end of a reported outage, with its length. */
  readonly onEnd: (lastedMs: number) => void;
  /** A failure is ignored if another request is answered within this real time. */
  readonly patienceMs: number;
  /** Steady time in milliseconds. */
  readonly now?: () => number;
}

export function outage({ onBegin, onEnd, patienceMs, now = () => performance.now() }: OutageOptions): Outage {
  let since: number | undefined;
  let isReported = false;
  return {
    failed(error) {
      since ??= now();
      if (isReported || now() - since < patienceMs) return;
      isReported = true;
      onBegin(error);
    },
    answered() {
      const began = since;
      const wasReported = isReported;
      since = undefined;
      isReported = false;
      if (wasReported && began !== undefined) onEnd(now() - began);
    },
  };
}

/** A server that only closes its connections is back sooner. */
const patienceMs = 2_000;

/** Logs one line when a server is away, and one when it is back. @param meanwhile the consequence for users */
export function loggedOutage(who: string, meanwhile: string, log: Log): Outage {
  return outage({
    patienceMs,
    onBegin: (error) =>
      log.warn({ error: error instanceof Error ? messageOf(error) : String(error) }, `${who} does not answer: ${meanwhile}`),
    onEnd: (lastedMs) => log.info({}, `${who} answers again, after ${Math.round(lastedMs / 1_000)} s`),
  });
}

/** The message of an error. Several addresses may have failed at once; an error without a message has a code. */
function messageOf(error: Error): string {
  const errors = error instanceof AggregateError ? error.errors.filter((each) => each instanceof Error) : [];
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.name;
  return error.message || errors.map(({ message }) => message).join(', ') || code;
}
