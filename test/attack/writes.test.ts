import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { until } from '../support/until.ts';
import { differences } from '../crash/story.ts';
import { startWorld, type World } from '../support/world.ts';
import { scale } from './scale.ts';
import { knownOpen } from './writes/known-open.ts';
import type { Purpose } from './writes/purpose.ts';
import { gate, refusals, type Gate, type Refusal } from './writes/refusals.ts';
import { rows, type Row } from './writes/rows.ts';
import { isTold, tidings } from './writes/told.ts';

/**
 * Every write to Kubernetes that the operator makes, refused in every way: that is told, nothing is lost or doubled, no password goes where no Secret
 * takes it, nothing loops, and once the refusal ends it goes on to the same end.
 */

/** Policy time runs so many times as fast, which is slower than in other tests: what has to be told in time must not be late because the machine is busy. */
const fast = 20;
const toldWithinMs = 40_000;
const patienceMs = 10_000;
const mostTries = 15;

interface Cell {
  readonly row: Row;
  readonly refusal: Refusal;
  readonly title: string;
}

/** Why there is no such cell. */
function whyLeftOut({ isRehearsed, tells }: Row, { strikes, status, times }: Refusal): string | undefined {
  if (status === 409 && times === undefined && !tells) return 'somebody else was ahead, and no object of ours waits for it';
  return strikes !== undefined && isRehearsed !== true ? 'no dry run goes before this write' : undefined;
}

const cells: readonly Cell[] = rows.flatMap((row) =>
  refusals
    .filter((refusal) => whyLeftOut(row, refusal) === undefined)
    .map((refusal) => ({ row, refusal, title: `${row.title}, refused: ${refusal.title}` })),
);
/** For every run: one cell for each purpose, and each refusal that is told at once a few times. */
const quick = refusals.filter(({ status, strikes }) => status !== 500 && strikes === undefined);
const some = cells.filter(({ row, refusal, title }) => {
  const isFirst = rows.findIndex(({ purpose }) => purpose === row.purpose) === rows.indexOf(row);
  const isItsTurn = quick.indexOf(refusal) === (rows.indexOf(row) * 3) % quick.length;
  return isFirst && isItsTurn && speedFor(row, refusal) > 1 && !knownOpen.has(title);
});

function speedFor({ isInHand }: Row, { status, times }: Refusal): number {
  const isPassing = status === undefined || [401, 403, 429].includes(status) || status >= 500 || (status === 409 && times === undefined);
  return isInHand && isPassing ? 1 : fast;
}

async function play(row: Row, closed: Gate, speedOfPolicy: number, during: (world: World) => Promise<void>): Promise<World> {
  const world = await startWorld({ speed: speedOfPolicy, start: false, ...(row.settings ? { settings: row.settings } : {}) });
  const start = async () => {
    const operator = await world.startOperator({ intercept: closed.intercept });
    await operator.started;
  };
  await start();
  await row.before?.(world);
  closed.close();
  await row.act(world, async (meanwhile) => {
    await world.stopOperators();
    await meanwhile();
    await start();
  });
  await during(world);
  closed.open();
  // Back-off may have come to half a minute, in real time where policy runs like it.
  await row.end(world).catch(() => row.end(world));
  return world;
}

async function refuse({ row, refusal }: Cell): Promise<void> {
  const closed = gate(row.purpose, refusal);
  const speed = speedFor(row, refusal);
  const told: string[] = [];
  await using world = await play(row, closed, speed, async (acting) => {
    const since = acting.log.length;
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
    while (!isOver.is && performance.now() < (isSaid ? inTimeMs : inTimeMs + patienceMs)) {
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
    ['how often it is tried', soon.length > mostTries ? soon.length : 'not often', 'not often'],
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
    if (id !== undefined && password !== undefined && password !== world.project.services.get(id)?.password) wrong.push(name);
  }
  return wrong;
}

for (const cell of scale.isWhole ? cells : some) {
  const run = knownOpen.has(cell.title) ? test.concurrent.fails : test.concurrent;
  run(cell.title, { timeout: 120_000 }, () => refuse(cell));
}

test('every write that the operator makes is in the table', { timeout: 120_000 }, async () => {
  const never: Refusal = { title: 'never', status: 403, times: 0, told: 'nothing' };
  const seen = new Map<Purpose, string>();
  const pass = async (row: Row): Promise<void> => {
    const open = gate(row.purpose, never);
    await using world = await play(row, open, 60, async () => {});
    await until(`the write of ${row.title}`, () => open.seen.has(row.purpose));
    for (const [purpose, path] of open.seen) seen.set(purpose, path);
    expect(world.project.everCreated.map(({ kind }) => kind).toSorted()).toEqual(row.made.toSorted());
  };
  await Promise.all(rows.map(pass));
  const inTable = new Set(rows.map(({ purpose }) => purpose));
  expect([...seen].filter(([purpose]) => !inTable.has(purpose))).toEqual([]);
});

test('what is known to be open is in the table', () => {
  const titles = new Set(cells.map(({ title }) => title));
  expect([...knownOpen.keys()].filter((title) => !titles.has(title))).toEqual([]);
});
