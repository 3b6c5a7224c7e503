import { expect, test } from 'vitest';
import { inParallel } from '../support/in-parallel.ts';
import {
  failures,
  harms,
  points,
  tellFailover,
  type Failover,
  type Harm,
  type Point,
} from './failover.ts';
import { scale } from './scale.ts';

/**
 * Two real processes. The test harms the first while it creates or deletes a service: before, during and
 * after the cloud call. The test prints each duration and compares it with the lease. The whole attack has
 * strict bounds and needs its own machine.
 */

/** Each is two processes. A replica that is kept waiting for longer than the deadline loses its lease without any harm. */
const atOnce = scale.isWhole ? 3 : 1;

/** For every run: each harm once, and among them both changes and all three points. */
const some: Readonly<Record<Harm, Point>> = {
  kill: { change: 'POST', at: 'in' },
  stop: { change: 'DELETE', at: 'after' },
  freeze: { change: 'POST', at: 'before' },
  'API server away': { change: 'DELETE', at: 'in' },
};

const mutationsOf = async (change: Point['change']) =>
  (await tellFailover({ harm: 'none', point: { change, at: 'in' } })).mutations;
const quietly = mutationsOf('POST').then(async (POST) => ({
  POST,
  DELETE: await mutationsOf('DELETE'),
}));

async function problemsOf(harm: Harm): Promise<object> {
  const undisturbed = await quietly;
  const problems: Record<string, readonly string[]> = {};
  await inParallel(scale.isWhole ? points : [some[harm]], atOnce, async (point) => {
    const name = `${harm} ${point.at} ${point.change}`;
    const told: Failover = await tellFailover({ harm, point });
    process.stdout.write(`${name}: ${told.figures}\n`);
    const wrong = failures(told, undisturbed[point.change]);
    if (wrong.length > 0) problems[name] = wrong;
  });
  return problems;
}

test.each(Object.entries(harms))('%s: %s', { timeout: 400_000 }, async (harm) => {
  expect(await problemsOf(harm as Harm)).toEqual({}); // oxlint-disable-line typescript/no-unsafe-type-assertion -- a key of harms
});
