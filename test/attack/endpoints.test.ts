import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { isOperation, operations } from '../../src/cloud/wire/all.ts';
import { differences } from '../crash/story.ts';
import { callsOf } from '../support/cloud-calls.ts';
import { service, vpc } from '../support/manifests.ts';
import { startWorld, type World, type WorldKind } from '../support/world.ts';
import { faults, type Fault } from './endpoints/faults.ts';
import { whyLeftOut, whyNoRow } from './endpoints/left-out.ts';
import { beginDeletion, rows, type Phase, type Row } from './endpoints/rows.ts';
import { scale } from './scale.ts';

/**
 * Each cloud operation fails throughout a measurement. The object that waits for it reports the failure in
 * time, in fitting words. Objects that do not need the operation continue, and Ready objects stay Ready.
 * Afterwards all objects reach their expected end.
 */

/** Policy time. */
const toldWithinMs = 40_000;
/** The speed of policy time before the measurement, in multiples of real time. */
const fast = 20;

interface Cell {
  readonly row: Row;
  readonly fault: Fault;
  readonly title: string;
}

const cells: readonly Cell[] = rows.flatMap((row) =>
  faults
    .filter((fault) => whyLeftOut(row, fault) === undefined)
    .map((fault) => ({
      row,
      fault,
      title: `${row.operation}${row.of === undefined ? '' : ` of ${row.of}`}, ${row.phase}: ${fault.title}`,
    })),
);
/** For every run: every eighth row, each fault that takes no real time in turn. test/simulation fails each changing call. */
const quick = faults.filter(({ recoveryMs }) => recoveryMs <= 60_000);
const some = cells.filter(({ row, fault }) => {
  const index = rows.indexOf(row);
  return index % 8 === 1 && quick.indexOf(fault) === Math.floor(index / 8) % quick.length;
});

async function strike({ row, fault }: Cell): Promise<readonly string[]> {
  const { operation, phase, waits, goesOn } = row;
  const settings = row.settings ? { settings: row.settings } : {};
  const latencies = {
    latencyMs: fault.recoverySpeed === 1 ? 300 : 2_000,
    ...(row.deletesAtOnce ? { deleteLatencyMs: 0 } : {}),
  };
  await using world = await startWorld({ speed: fast, ...latencies, ...settings });
  if (row.listsApart) world.project.includeReplicaSets = false;
  await world.apply(vpc('kept', { deletionPolicy: 'Retain' }));
  await row.before(world);
  await world.untilReady('vpc', 'kept');
  if (row.restarts) await world.stopOperators();
  const before = { calls: callsOf(world, operation), versions: await versions(world) };
  world.project.faults.add(fault.on(operation));
  if (row.restarts) await world.startedOperator();
  await row.act(world);
  // At rest a list is asked for once a minute.
  const isAsked = await inTime(performance.now() + 90_000, () =>
    Promise.resolve(callsOf(world, operation) > before.calls ? [] : ['not asked for']),
  );
  expect(isAsked).toEqual([]);
  world.clock.runAt(fault.speed);
  const struckAt = performance.now();
  await beginDeletion(world, 'vpc', 'kept');
  if (goesOn && !fault.isOfKey)
    await world.apply(goesOn[0] === 'vpc' ? vpc(goesOn[1]) : service(goesOn[1]));
  const deadline = struckAt + toldWithinMs / fault.speed;
  const others = goesOn && !fault.isOfKey ? [goesOn] : [];
  const problems = await inTime(deadline, async () => [
    ...(waits && !(await isOver(world, row, waits))
      ? unfit(row, fault, await wordsOf(world, waits))
      : []),
    ...((await world.vpc('kept')) ? ['an object that is only let go was not'] : []),
    ...(
      await Promise.all(
        others.map(async (other) =>
          (await isReady(world, other))
            ? []
            : [`${other.join(' ')} does not go on: ${await wordsOf(world, other)}`],
        ),
      )
    ).flat(),
  ]);
  if (phase === 'ready') {
    await pause(Math.max(deadline - performance.now(), 0));
    problems.push(...differences([['what was written', await versions(world), before.versions]]));
  }
  world.clock.runAt(fault.recoverySpeed);
  world.project.faults.clear();
  problems.push(...(await unfinished(world, row, fault)));
  return problems;
}

/** Polls until no problem is left or the time is up. @returns the problems left */
async function inTime(deadline: number, look: () => Promise<string[]>): Promise<string[]> {
  for (;;) {
    const problems = await look();
    if (problems.length === 0 || performance.now() > deadline) return problems;
    await pause(50);
  }
}

async function unfinished(
  world: World,
  row: Row,
  { recoveryMs, isOfKey }: Fault,
): Promise<readonly string[]> {
  const others = row.goesOn && !isOfKey ? [row.goesOn] : [];
  const left = () => world.project.everCreated.filter(({ deletedAt }) => deletedAt === undefined);
  const aside = others.map(([kind]) => kind);
  return inTime(performance.now() + recoveryMs, async () => {
    const all = [...(row.waits ? [row.waits] : []), ...others];
    const open = await Promise.all(
      all.map(async (each) =>
        (await isOver(world, row, each))
          ? []
          : [`${each.join(' ')} does not come to its end: ${await wordsOf(world, each)}`],
      ),
    );
    const cloud = differences([
      [
        'what was ever made',
        world.project.everCreated.map(({ kind }) => kind).toSorted(),
        [...row.made, ...aside, 'vpc'].toSorted(),
      ],
      [
        'what is left',
        left()
          .map(({ kind }) => kind)
          .toSorted(),
        [...(row.left ?? row.made), ...aside, 'vpc'].toSorted(),
      ],
    ]);
    return [...open.flat(), ...cloud];
  });
}

/** After an unanswered create the object waits for the search, so its message may name the search. */
function unfit({ operation }: Row, { words }: Fault, said: string): readonly string[] {
  const fits =
    words.test(said) ||
    (operations[operation].effect === 'create' && said.includes('it is not known yet whether'));
  return fits ? [] : [`it says: ${said}`];
}

/** Whether an object has come to where it was to go. */
async function isOver(
  world: World,
  { phase, waits }: Row,
  who: readonly [WorldKind, string],
): Promise<boolean> {
  return phase === 'deleted' && who === waits
    ? (await world[who[0]](who[1])) === undefined
    : isReady(world, who);
}

async function isReady(world: World, [kind, name]: readonly [WorldKind, string]): Promise<boolean> {
  const object = await world[kind](name);
  const condition = object?.status?.conditions?.find(({ type }) => type === 'Synced');
  return (
    condition?.status === 'True' && condition.observedGeneration === object?.metadata.generation
  );
}

async function wordsOf(world: World, [kind, name]: readonly [WorldKind, string]): Promise<string> {
  const object = await world[kind](name);
  const condition = object?.status?.conditions?.find(({ type }) => type === 'Synced');
  return condition
    ? `${condition.status} ${condition.reason}: ${condition.message}`
    : object
      ? 'nothing'
      : 'it is gone';
}

/** Changes with each write. */
async function versions(world: World): Promise<readonly (string | undefined)[]> {
  const objects = await Promise.all([
    world.vpc('prod'),
    world.service('orders'),
    world.replicaSet('reads'),
  ]);
  return objects.map((object) => object?.metadata.resourceVersion);
}

test.concurrent.each((scale.isWhole ? cells : some).map((cell) => [cell.title, cell] as const))(
  '%s',
  { timeout: 400_000 },
  async (_, cell) => {
    expect(await strike(cell)).toEqual([]);
  },
);

test('every operation is in the table in each phase in which it is needed', () => {
  const all = Object.keys(operations).filter(isOperation);
  const phases: readonly Phase[] = ['created', 'ready', 'changed', 'deleted'];
  const missing = all.flatMap((operation) => {
    const hasRow = (phase: Phase) =>
      rows.some((row) => row.operation === operation && row.phase === phase);
    return phases
      .filter((phase) => !hasRow(phase) && whyNoRow(operation, phase) === undefined)
      .map((phase) => `${operation}, ${phase}`);
  });
  expect(missing).toEqual([]);
});
