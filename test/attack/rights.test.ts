import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { startWorld } from '../support/world.ts';
import { accountWith } from './rights/account.ts';
import { answers } from './rights/answers.ts';
import { operatorGrants, wordsOf, type Grant } from './rights/grants.ts';
import { story, type Stage } from './rights/story.ts';
import { scale } from './scale.ts';

/**
 * The operator needs each of its rights: without any single right, the same story comes to a halt.
 * Remove an unneeded right from the chart, or add the step to the story that needs it.
 * In `npm test`, test/e2e/life.test.ts compares the rights with the requests of an installation.
 */

const grants = await operatorGrants();
/** A stand-by without a watch of the lease polls it again after 20 to 44 s. */
const lease = {
  name: 'managed-db-operator',
  leaseDurationMs: 60_000,
  renewDeadlineMs: 40_000,
  retryPeriodMs: 20_000,
};
/** Real time without a step, after a refusal, that counts as a halt: at most so long, or a stand-by would look again. */
const longestPatienceMs = 15_000;
const shortestPatienceMs = 4_000;

interface End {
  /** Where the story came to a halt; undefined when it came to its end. */
  readonly haltedAt: string | undefined;
  /** The first request that was refused. */
  readonly refused: string | undefined;
  readonly longestStepMs: number;
}

/**
 * Plays the story without the given right.
 * @param patienceMs how long a step may take after the first refusal
 */
async function tell(without: Grant | undefined, patienceMs: number): Promise<End> {
  const told = answers();
  const endsRestless = without && { endsRestless: `it may not ${wordsOf(without)}` };
  await using world = await startWorld({ start: false, latencyMs: 500, ...endsRestless });
  const remaining = grants.filter((grant) => grant !== without);
  const token = await accountWith(world, remaining, without);
  const start: Stage['start'] = (identity) => {
    const leaderElection = { ...lease, namespace: world.namespace, identity };
    return world.startOperator({
      token,
      settings: { leaderElection },
      intercept: told.listenTo(identity),
    });
  };
  let refused: string | undefined;
  void told.refused.then((asked) => (refused = asked));
  const halted = async () => {
    await told.refused;
    await pause(patienceMs);
    return 'halted' as const;
  };
  let longestStepMs = 0;
  for (const { what, act } of story({ world, answers: told, start })) {
    const begun = performance.now();
    const end = await Promise.race([
      act().then(
        () => 'done' as const,
        (error: unknown) => ({ error }),
      ),
      halted(),
    ]);
    if (end !== 'done') {
      if (refused === undefined && end !== 'halted')
        throw new Error(`${what}: nothing was refused, and yet it failed`, { cause: end.error });
      return { haltedAt: what, refused, longestStepMs };
    }
    longestStepMs = Math.max(longestStepMs, performance.now() - begun);
  }
  return { haltedAt: undefined, refused, longestStepMs };
}

let whole: Promise<End> | undefined;
const withAll = () => (whole ??= tell(undefined, 0));

describe('the rights of the operator', { timeout: 240_000 }, () => {
  test('all together are sufficient for the whole story', async () => {
    expect(await withAll()).toMatchObject({ haltedAt: undefined, refused: undefined });
  });

  test
    .runIf(scale.isWhole)
    .concurrent.each(grants.map((grant) => [wordsOf(grant), grant] as const))(
    'without %s something fails',
    async (words, grant) => {
      const { longestStepMs } = await withAll();
      const patienceMs = Math.min(
        Math.max(3 * longestStepMs, shortestPatienceMs),
        longestPatienceMs,
      );
      const { haltedAt, refused } = await tell(grant, patienceMs);
      expect(
        haltedAt,
        `nobody misses: ${words} (${refused === undefined ? 'never asked for' : `refused: ${refused}`})`,
      ).toBeDefined();
    },
  );
});
