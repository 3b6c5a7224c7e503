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

/**
 * For every run: the freeze, which ends the Lease by its time and then wakes up. test/simulation has each harm at each changing
 * call.
 */
const some: readonly (readonly [Harm, Point])[] = [['freeze', { change: 'POST', at: 'before' }]];
const pointsOf = (harm: Harm) =>
  scale.isWhole ? points : some.flatMap(([each, point]) => (each === harm ? [point] : []));

const mutationsOf = async (change: Point['change']) =>
  (await tellFailover({ harm: 'none', point: { change, at: 'in' } })).mutations;
const quietly = new Map<Point['change'], ReturnType<typeof mutationsOf>>();
const undisturbed = ({ change }: Point) => {
  const found = quietly.get(change) ?? mutationsOf(change);
  quietly.set(change, found);
  return found;
};

async function problemsOf(harm: Harm): Promise<object> {
  const problems: Record<string, readonly string[]> = {};
  await inParallel(pointsOf(harm), atOnce, async (point) => {
    const name = `${harm} ${point.at} ${point.change}`;
    const told: Failover = await tellFailover({ harm, point });
    process.stdout.write(`${name}: ${told.figures}\n`);
    const wrong = failures(told, await undisturbed(point));
    if (wrong.length > 0) problems[name] = wrong;
  });
  return problems;
}

const all = (['kill', 'stop', 'freeze', 'API server away'] as const).filter(
  (harm) => pointsOf(harm).length > 0,
);

test.each(all.map((harm) => [harm, harms[harm]] as const))(
  '%s: %s',
  { timeout: 400_000 },
  async (harm) => {
    expect(await problemsOf(harm)).toEqual({});
  },
);
