import type { Log } from './log.ts';

/** Joins the failures of a server into an outage with a begin and an end. */
export interface Outage {
  /** A request got no answer. */
  failed(error: unknown): void;
  /** A request got an answer of any content. */
  answered(): void;
}

/**
 * A server that only closes its connections is back sooner: a failure is ignored if another request is answered within
 * this time.
 */
const patienceMs = 2_000;

/**
 * Logs a line when a server is away, and another when it is back.
 * @param meanwhile the consequence for users
 * @param now steady time in milliseconds
 */
export function loggedOutage(who: string, meanwhile: string, log: Pick<Log, 'info' | 'warn'>, now = () => performance.now()): Outage {
  let since: number | undefined;
  let isReported = false;
  return {
    failed(error) {
      since ??= now();
      if (isReported || now() - since < patienceMs) return;
      isReported = true;
      log.warn({ error: error instanceof Error ? messageOf(error) : String(error) }, `${who} does not answer: ${meanwhile}`);
    },
    answered() {
      if (isReported && since !== undefined) log.info({}, `${who} answers again, after ${Math.round((now() - since) / 1_000)} s`);
      since = undefined;
      isReported = false;
    },
  };
}

/** Several addresses may have failed at once; an error without a message has a code. */
function messageOf(error: Error): string {
  const errors = error instanceof AggregateError ? error.errors.filter((each) => each instanceof Error) : [];
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.name;
  return error.message || errors.map(({ message }) => message).join(', ') || code;
}
