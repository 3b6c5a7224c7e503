import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { until } from '../support/until.ts';
import { differences } from '../crash/story.ts';
import { startWorld, type World } from '../support/world.ts';
import { scale } from './scale.ts';
import { knownOpen } from './writes/known-open.ts';
import { allPurposes, holdsOf, type Purpose } from './writes/purpose.ts';
import { gate, refusals, type Gate, type Refusal } from './writes/refusals.ts';
import { rows, type Row } from './writes/rows.ts';
import { isTold, tidings } from './writes/told.ts';

/**
 * Kubernetes refuses each write of the operator in every way. The operator reports the refusal, loses or
 * doubles nothing, and does not loop. It sends a password only once the ledger has it and a Secret takes it.
 * After the refusal, it reaches the same end.
 */

/** The speed of policy time before and after the measurement, in multiples of real time. */
const fast = 20;
/** Policy time. */
const toldWithinMs = 40_000;
/** The operator retries each second while a conflict lasts; after other refusals it backs off. */
const mostTries = ({ told }: Refusal) => (told === 'trouble' ? 45 : 15);

interface Cell {
  readonly row: Row;
  readonly refusal: Refusal;
  readonly title: string;
}

/** Why there is no such cell. */
function whyLeftOut(
  { isRehearsed, tells, purpose }: Row,
  { strikes, status, times }: Refusal,
): string | undefined {
  if (status === 409 && times === undefined && !tells)
    return 'somebody else was ahead, and no object of ours waits for it';
  if (status === 200 && holdsOf(purpose) === undefined)
    return 'the reply says nothing that is counted on';
  return strikes !== undefined && isRehearsed !== true
    ? 'no dry run goes before this write'
    : undefined;
}

const cells: readonly Cell[] = rows.flatMap((row) =>
  refusals
    .filter((refusal) => whyLeftOut(row, refusal) === undefined)
    .map((refusal) => ({ row, refusal, title: `${row.title}, refused: ${refusal.title}` })),
);
/** For every run: each purpose meets a refusal, each refusal in turn. */
const some = allPurposes.flatMap((purpose, turn) => {
  const first = rows.find((row) => row.purpose === purpose);
  const fitting = cells.filter(
    ({ row, refusal, title }) =>
      row === first &&
      refusal.status !== 500 &&
      refusal.strikes === undefined &&
      measuredAt(row, refusal) > 1 &&
      !knownOpen.has(title),
  );
  return fitting[turn % fitting.length] ?? [];
});

/** The speed of policy time during the measurement: slow enough that a busy machine delays no report. */
function measuredAt({ isInHand }: Row, { status, times, told }: Refusal): number {
  const isPassing =
    status === undefined ||
    [401, 403, 429].includes(status) ||
    status >= 500 ||
    (status === 409 && times === undefined);
  if (isInHand && isPassing) return 1;
  // The operator reports each refusal at once or after 30 s.
  return told === 'trouble' || isPassing ? 2 : 4;
}

/**
 * @param speed of policy time while `during` lasts
 * @param during gets the number of log lines from before the first refusal
 */
async function play(
  row: Row,
  closed: Gate,
  speed: number,
  during: (world: World, since: number) => Promise<void>,
): Promise<World> {
  const world = await startWorld({
    speed: fast,
    start: false,
    ...(row.settings ? { settings: row.settings } : {}),
  });
  const start = async () => {
    await world.startedOperator({ intercept: closed.intercept });
  };
  await start();
  await row.before?.(world);
  world.clock.runAt(speed);
  const since = world.log.length;
  closed.close();
  await row.act(world, async (meanwhile) => {
    await world.stopOperators();
    await meanwhile();
    await start();
  });
  await during(world, since);
  world.clock.runAt(fast);
  closed.open();
  await row.end(world);
  return world;
}

async function refuse({ row, refusal }: Cell): Promise<void> {
  const speed = measuredAt(row, refusal);
  const closed = gate(row.purpose, refusal);
  const told: string[] = [];
  await using world = await play(row, closed, speed, async (acting, since) => {
    await until(
      'the write to be refused',
      () => closed.refused.length > 0,
      () => [...closed.seen.keys(), acting.log.slice(-10)],
    );
    if (refusal.told === 'nothing') return;
    const isOver = { is: false };
    if (refusal.told === 'trouble')
      void row.end(acting).then(
        () => (isOver.is = true),
        () => undefined,
      );
    const inTimeMs = (closed.refused[0] ?? 0) + toldWithinMs / speed;
    let isSaid = false;
    // The attack counts the tries until the time is up.
    const isEnough = () => isOver.is || (isSaid && !scale.isWhole);
    while (!isEnough() && performance.now() < inTimeMs) {
      isSaid ||= await isTold(acting, row, refusal, since);
      await pause(50);
    }
    if (!isSaid && !isOver.is) told.push(...(await tidings(acting, row, since)));
  });
  const soon = closed.refused.filter((at) => at < (closed.refused[0] ?? 0) + toldWithinMs / speed);
  const { everCreated } = world.project;
  const isHomeward =
    row.holdsPasswords === true &&
    refusal.strikes !== 'real writes' &&
    refusal.told !== 'nothing' &&
    (row.isRehearsed === true || refusal.status !== undefined);
  const problems = differences([
    ['what is said in time', told, []],
    ['a write without a purpose', closed.seen.get('unknown') ?? 'none', 'none'],
    [
      'how often it is tried',
      soon.length > mostTries(refusal) ? soon.length : 'not often',
      'not often',
    ],
    ['what was ever made', everCreated.map(({ kind }) => kind).toSorted(), row.made.toSorted()],
    [
      'what is left',
      everCreated
        .filter(({ deletedAt }) => deletedAt === undefined)
        .map(({ kind }) => kind)
        .toSorted(),
      (row.left ?? row.made).toSorted(),
    ],
    ['passwords sent that no Secret had', closed.homeless, 0],
    ['passwords sent while no Secret would take them', isHomeward ? closed.sentWhileClosed : 0, 0],
    ['services with a password that does not work', await wrongPasswords(world), []],
  ]);
  if (problems.length > 0) throw new Error(problems.join('\n'));
}

/** Services whose Secret does not have the password that the cloud has. */
async function wrongPasswords(world: World): Promise<readonly string[]> {
  const wrong: string[] = [];
  for (const name of ['orders', 'drill']) {
    const { id, binding } = (await world.service(name))?.status ?? {};
    const password = binding && (await world.secret(binding.name))?.['password'];
    if (
      id !== undefined &&
      password !== undefined &&
      password !== world.project.stores.service.get(id)?.password
    )
      wrong.push(name);
  }
  return wrong;
}

for (const cell of scale.isWhole ? cells : some) {
  const run = knownOpen.has(cell.title) ? test.concurrent.fails : test.concurrent;
  run(cell.title, { timeout: 120_000 }, () => refuse(cell));
}

test('each purpose of a write is in the table', () => {
  const inTable = new Set<Purpose>(rows.map(({ purpose }) => purpose));
  expect(allPurposes.filter((purpose) => !inTable.has(purpose))).toEqual([]);
});

test('what is known to be open is in the table', () => {
  const titles = new Set(cells.map(({ title }) => title));
  expect([...knownOpen.keys()].filter((title) => !titles.has(title))).toEqual([]);
});
