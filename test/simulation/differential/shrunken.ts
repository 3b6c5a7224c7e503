import { type Difference, type Ending, play, TimedOut } from './play.ts';
import type { Server } from './servers.ts';
import type { Step } from './step.ts';

/** A sequence with its difference. */
export interface Failing {
  readonly steps: readonly Step[];
  readonly difference: Difference;
}

/** A sequence takes about a second, so a report takes at most a minute. */
const mostTries = 60;

/** Removes the steps without which the sequence still shows a difference: halves first, then single steps. */
export async function shrunken(
  server: Server,
  steps: readonly Step[],
  difference: Difference,
  ending: Ending,
): Promise<Failing> {
  let found: Failing = { steps: steps.slice(0, difference.index + 1), difference };
  let tries = 0;
  for (let size = Math.ceil(found.steps.length / 2); size >= 1; size = Math.floor(size / 2))
    for (let from = found.steps.length - size; from > -size; from -= size) {
      if (tries >= mostTries) return found;
      tries += 1;
      const fewer = found.steps.toSpliced(Math.max(from, 0), size + Math.min(from, 0));
      const { difference: next } = await play(server, fewer, ending).catch(unlessTimedOut);
      if (next) found = { steps: fewer.slice(0, next.index + 1), difference: next };
    }
  return found;
}

function unlessTimedOut(error: unknown): { readonly difference: undefined } {
  if (error instanceof TimedOut) return { difference: undefined };
  throw error;
}
