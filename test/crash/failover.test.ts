import { expect, test } from 'vitest';
import { inParallel } from '../support/in-parallel.ts';
import { failures, harms, points, tellFailover, type Failover, type Harm } from './failover.ts';

/**
 * Two real processes; one of them is hurt while it creates or deletes a service: before, in and after the one call that does it. Every figure that is a
 * time is printed, and held against the lease.
 */

/** Each is two processes, on a machine that does other things, too. */
const atOnce = 3;

const quietly = tellFailover({ harm: 'none', point: { change: 'POST', at: 'in' } });
const quietDeletion = tellFailover({ harm: 'none', point: { change: 'DELETE', at: 'in' } });

async function everyPoint(harm: Harm): Promise<object> {
  const undisturbed = { POST: (await quietly).mutations, DELETE: (await quietDeletion).mutations };
  const problems: Record<string, readonly string[]> = {};
  await inParallel(points, atOnce, async (point) => {
    const name = `${harm} ${point.at} ${point.change}`;
    const told: Failover = await tellFailover({ harm, point });
    process.stdout.write(`${name}: ${told.figures}\n`);
    const wrong = failures(told, undisturbed[point.change]);
    if (wrong.length > 0) problems[name] = wrong;
  });
  return problems;
}

test.each(Object.entries(harms))('%s: %s', { timeout: 400_000 }, async (harm) => {
  expect(await everyPoint(harm as Harm)).toEqual({}); // oxlint-disable-line typescript/no-unsafe-type-assertion -- a key of harms
});
