import { setTimeout as pause } from 'node:timers/promises';
import { service } from '../support/manifests.ts';
import type { Held, Passing } from '../support/http-proxy.ts';
import { until } from '../support/until.ts';
import { startWorld, type World } from '../support/world.ts';
import { scale } from './scale.ts';
import { allowLease, lease, leaseIn, speed, startReplica, type Replica } from '../crash/replica.ts';

/** The harm to the first of two replicas, and the required outcome. */
export const harms = {
  kill: 'the other acts when the lease has run out, and nothing is done twice',
  stop: 'the other acts long before the lease would have run out, and nothing is done twice',
  freeze:
    'the other acts when the lease has run out, and the one that thaws changes nothing and ends',
  'API server away':
    'nobody acts for as long as that lasts, one does afterwards, and the stand-by lives on',
};
export type Harm = keyof typeof harms;

/**
 * The moment of the harm, around the call that changes the cloud. `before`: the intent is recorded.
 * `in`: the cloud has carried the call out, and not answered it. `after`: the cloud has answered.
 */
export interface Point {
  readonly change: 'POST' | 'DELETE';
  readonly at: 'before' | 'in' | 'after';
}

export const points: readonly Point[] = (['POST', 'DELETE'] as const).flatMap((change) =>
  (['before', 'in', 'after'] as const).map((at) => ({ change, at })),
);

export interface Failover {
  readonly plan: Plan;
  /** Times, for people. */
  readonly figures: string;
  /** How often the cloud carried out each changing operation. */
  readonly mutations: Readonly<Record<string, number>>;
  readonly exit: number | string | null;
  /** From the loss of the first replica until the second held the lease, in milliseconds. */
  readonly takenAfterMs: number;
  /** From the loss of the first replica until the second had filled its caches and worked, in milliseconds. */
  readonly actedAfterMs: number;
  /** The cloud changes that the first replica requested after it thawed. */
  readonly late: readonly Passing[];
  /** The number of cloud changes requested while no replica could hold the lease. */
  readonly meanwhile: number;
  readonly problems: readonly string[];
}

export interface Plan {
  readonly harm: Harm | 'none';
  readonly point: Point;
}

const isWrite = ({ method, path }: Passing) =>
  method !== 'GET' && !path.includes('/events') && !path.includes('/leases');
const isRecord = ({ method, body }: Passing) =>
  (method === 'POST' || method === 'PATCH') && body.includes('managed-db.io/entry');
const isCall = ({ change }: Point, { method, path }: Passing) =>
  method === change &&
  (change === 'POST' ? path.endsWith('/services') : /\/services\/\w+$/u.test(path));

/** Stops the first replica at the point. */
function holdAt(point: Point, { cloud, kubernetes }: Replica): Held {
  switch (point.at) {
    case 'before': {
      const intent = point.change === 'POST' ? 'attempt' : 'deletionStarted';
      return kubernetes.hold(
        'reply',
        (passing) => isRecord(passing) && passing.body.includes(intent),
      );
    }
    case 'in':
      return cloud.hold('reply', (passing) => isCall(point, passing));
    case 'after':
      return kubernetes.hold(
        'request',
        (passing) => isWrite(passing) && cloud.requests.some((asked) => isCall(point, asked)),
      );
  }
}

/** Harms the first replica at a point of a create or delete, and waits for the expected end by either replica. */
export async function tellFailover(plan: Plan): Promise<Failover> {
  const { point, harm } = plan;
  await using world = await startWorld({ start: false, speed });
  await allowLease(world);
  await using first = await startReplica(world);
  await first.untilWorking();
  await using second = await startReplica(world);
  await second.untilStandingBy();
  if (point.change === 'DELETE') {
    await world.applyUntilReady(service('orders'));
  }
  world.project.commits.clear();
  const held = harm === 'none' ? undefined : holdAt(point, first);
  if (point.change === 'POST') await world.apply(service('orders'));
  else await world.kubectl(['delete', '--wait=false', 'managedservice/orders']);
  await held?.reached;
  const hurt =
    harm === 'none' || !held ? unharmed : await hurtBy[harm]({ world, first, second, held });
  const problems = await problemsAtTheEnd(plan, world);
  return {
    plan,
    ...hurt,
    figures: `taken after ${Math.round(hurt.takenAfterMs)} ms, acted after ${Math.round(hurt.actedAfterMs)} ms, lease ${lease.durationMs} ms, exit ${String(hurt.exit)}`,
    mutations: Object.fromEntries([...world.project.commits].filter(([, count]) => count > 0)),
    problems,
  };
}

type Hurt = Pick<Failover, 'exit' | 'takenAfterMs' | 'actedAfterMs' | 'late' | 'meanwhile'>;
const unharmed: Hurt = { exit: null, takenAfterMs: 0, actedAfterMs: 0, late: [], meanwhile: 0 };

interface Scene {
  readonly world: World;
  readonly first: Replica;
  readonly second: Replica;
  readonly held: Held;
}

/** When the lease had another holder than `before`, and when the second replica worked; by the steady clock. */
async function successionIn(
  { world, second }: Scene,
  before: string | undefined,
): Promise<{ takenAt: number; actedAt: number }> {
  const taken = until('the other to take the lease', async () => {
    const { holder } = await leaseIn(world);
    return holder !== undefined && holder !== before;
  }).then(() => performance.now());
  const acted = second.untilWorking().then(() => performance.now());
  const [takenAt, actedAt] = await Promise.all([taken, acted]);
  return { takenAt, actedAt };
}

const since = (
  begunAt: number,
  { takenAt, actedAt }: Awaited<ReturnType<typeof successionIn>>,
) => ({
  takenAfterMs: takenAt - begunAt,
  actedAfterMs: actedAt - begunAt,
});

const hurtBy: Readonly<Record<Harm, (scene: Scene) => Promise<Hurt>>> = {
  async kill(scene) {
    const { world, first, held } = scene;
    const { holder } = await leaseIn(world);
    first.process.kill('SIGKILL');
    const exit = await first.process.ended;
    const diedAt = performance.now();
    held.release(); // the reply reaches no process
    return { ...unharmed, exit, ...since(diedAt, await successionIn(scene, holder)) };
  },
  async stop(scene) {
    const { world, first, held } = scene;
    const { holder } = await leaseIn(world);
    const succession = successionIn(scene, holder);
    first.process.kill('SIGTERM');
    await until('it to have heard', () => first.process.stdout().includes('"msg":"stopping"'));
    held.release();
    const exit = await first.process.ended;
    const endedAt = performance.now();
    return { ...unharmed, exit, ...since(endedAt, await succession) };
  },
  async freeze(scene) {
    const { world, first, held } = scene;
    const { holder } = await leaseIn(world);
    first.process.kill('SIGSTOP');
    const frozenAt = performance.now();
    const times = since(frozenAt, await successionIn(scene, holder));
    const asked = first.cloudChanges().length;
    first.process.kill('SIGCONT');
    held.release();
    const exit = await first.process.ended;
    return { ...unharmed, ...times, exit, late: first.cloudChanges().slice(asked) };
  },
  async 'API server away'(scene) {
    const { world, first, second, held } = scene;
    const { holder } = await leaseIn(world);
    const changes = () => first.cloudChanges().length + second.cloudChanges().length;
    await Promise.all([first.kubernetes.cut(), second.kubernetes.cut()]);
    await pause(lease.deadlineMs);
    const before = changes();
    held.release();
    await pause(lease.durationMs);
    const meanwhile = changes() - before;
    await Promise.all([first.kubernetes.mend(), second.kubernetes.mend()]);
    const backAt = performance.now();
    const times = since(backAt, await successionIn(scene, holder));
    return { ...unharmed, ...times, exit: await first.process.ended, meanwhile };
  },
};

/** Waits for the end that everybody wants. */
async function problemsAtTheEnd({ point }: Plan, world: World): Promise<readonly string[]> {
  try {
    if (point.change === 'DELETE') {
      await world.untilGone('service', 'orders');
      const left = world.project.everCreated.filter(({ deletedAt }) => deletedAt === undefined);
      return left.map(({ kind }) => `a ${kind} is left in the cloud`);
    }
    await world.untilReady('service', 'orders');
    const id = (await world.service('orders'))?.status?.id ?? '';
    const stored = (await world.secret('orders-db'))?.['password'];
    const works = stored !== undefined && stored === world.project.stores.service.get(id)?.password;
    return [
      ...(works ? [] : ['the password does not work']),
      ...(world.project.everCreated.length === 1
        ? []
        : [`${world.project.everCreated.length} were created`]),
    ];
  } catch (error) {
    return [String(error).slice(0, 2_000)];
  }
}

type Bounds = Readonly<Record<Harm | 'none', number>>;

/** The bounds on a machine that does nothing else. */
const sharp: Bounds = {
  kill: lease.durationMs * 1.2,
  stop: 1_000,
  freeze: lease.durationMs * 1.2,
  'API server away': lease.durationMs * 1.2,
  none: 0,
};
/** The bounds on any machine. Waiting out the lease after a stop would exceed `stop`. */
const patient: Bounds = {
  kill: lease.durationMs + 20_000,
  stop: lease.deadlineMs,
  freeze: lease.durationMs + 20_000,
  'API server away': lease.durationMs + 20_000,
  none: 0,
};

/** The problems of a failover. @param undisturbed the operations of a run without harm */
export function failures(
  { plan, mutations, exit, takenAfterMs, actedAfterMs, late, meanwhile, problems }: Failover,
  undisturbed: Failover['mutations'],
): readonly string[] {
  const { harm, point } = plan;
  // Only the reply contains the first password: after a lost reply, the operator sets another password.
  const { updateServicePassword: passwords = 0, ...others } = mutations;
  const mayReset = point.change === 'POST' && point.at !== 'before';
  const withinMs = (scale.isWhole ? sharp : patient)[harm];
  const exits = { kill: 'SIGKILL', stop: 0, freeze: 1, 'API server away': 1, none: null };
  return [
    ...problems,
    ...(JSON.stringify(others) === JSON.stringify(undisturbed)
      ? []
      : [`it took ${JSON.stringify(mutations)}`]),
    ...(passwords <= (mayReset ? 1 : 0) ? [] : [`${passwords} passwords were set`]),
    ...(exit === exits[harm] ? [] : [`it ended with ${String(exit)}`]),
    ...(Math.max(takenAfterMs, actedAfterMs) <= withinMs
      ? []
      : [`the other acted after ${Math.round(actedAfterMs)} ms`]),
    ...late.map(({ method, path }) => `thawed, it asked for ${method} ${path}`),
    ...(meanwhile === 0 ? [] : [`${meanwhile} changes were asked for without a lease`]),
  ];
}
