import { annotations } from '../../../src/resources/annotations.ts';
import { replicaSet, service } from '../../support/manifests.ts';
import type { SimulatedWorld } from '../world.ts';
import {
  agreed,
  created,
  large,
  removed,
  shownService,
  small,
  untilSaid,
  type Story,
} from './story.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
/** A scheduled stop begins so long after its edge. */
const stopDelayMs = 5 * minuteMs;

/** The hours of each day between two instants. */
function hoursBetween(from: number, to: number): string {
  const [begin, end] = [from, to].map((at) => new Date(at).toISOString().slice(11, 16));
  return `Mon-Sun ${begin}-${end} UTC`;
}

/** A full minute of virtual time. */
function minuteIn({ simulation }: SimulatedWorld, afterMs: number): number {
  return Math.ceil((simulation.now + afterMs) / minuteMs) * minuteMs;
}

function passUntil(world: SimulatedWorld, at: number): Promise<void> {
  return world.letPass(Math.max(0, at - world.simulation.now));
}

/** Waits for a state in the cloud, which must not come before an instant. */
async function untilState(
  world: SimulatedWorld,
  id: string,
  state: string,
  notBefore = 0,
): Promise<void> {
  await world.until(`${id} to be ${state}`, () => shownService(world, id)?.status === state);
  if (world.simulation.now < notBefore)
    world.problems.push(`${id} is ${state} at ${world.simulation.now}, before ${notBefore}`);
}

/** Stories in which services run at agreed hours. */
export const hours = {
  /** A service stops in the evening and starts in the morning. A change of its replica set waits for the morning. */
  async runningHours(world) {
    const [evening, morning] = [minuteIn(world, 25 * minuteMs), minuteIn(world, 70 * minuteMs)];
    const runningHours = [
      hoursBetween(evening - hourMs, evening),
      hoursBetween(morning, morning + hourMs),
    ];
    await world.apply(service('orders', { ...small, runningHours }), replicaSet('reads', 'orders'));
    await world.untilReady('ManagedService', 'orders');
    await world.untilReady('ReplicaSet', 'reads');
    const id = await agreed(world, 'orders');
    await passUntil(world, evening);
    await untilState(world, id, 'PAUSED', evening + stopDelayMs);
    await world.patch('ReplicaSet', 'reads', { spec: large });
    await untilSaid(world, ['ReplicaSet', 'reads'], 'Stopped');
    await passUntil(world, morning);
    const early = world.project.calls.get('resizeReplicaSet') ?? 0;
    if (early > 0) world.problems.push(`${early} resizes of a replica set of a stopped service`);
    await untilState(world, id, 'READY', morning);
    await world.until('the resize of reads', async () => {
      const { status } = (await world.object('ReplicaSet', 'reads')) ?? {};
      return status?.size === '2000m/8GB';
    });
    created(world, 2);
    await removed(world, ['ReplicaSet', 'reads'], ['ManagedService', 'orders']);
  },
  /** No operator runs at the end of the hours: the next operator stops the service when it starts. */
  async downInTheEvening(world, { operators }) {
    const evening = minuteIn(world, 25 * minuteMs);
    const runningHours = [hoursBetween(evening - hourMs, evening)];
    await world.apply(service('orders', { ...small, runningHours }));
    await world.untilReady('ManagedService', 'orders');
    const id = await agreed(world, 'orders');
    operators.pause();
    await passUntil(world, evening + 3 * hourMs);
    if (shownService(world, id)?.status !== 'READY')
      world.problems.push(`${id} was stopped without an operator`);
    operators.resume();
    await untilState(world, id, 'PAUSED');
    await world.untilReady('ManagedService', 'orders');
    await removed(world, ['ManagedService', 'orders']);
  },
  /** A new service stops, since its hours are closed. A wake starts it, survives an apply, and ends after two hours. */
  async wakeOutsideOfHours(world) {
    const opening = minuteIn(world, 12 * hourMs);
    const manifest = service('orders', {
      ...small,
      runningHours: [hoursBetween(opening, opening + hourMs)],
    });
    await world.apply(manifest);
    await world.until(
      'orders to be created',
      async () => (await world.object('ManagedService', 'orders'))?.status?.id !== undefined,
    );
    const id = await agreed(world, 'orders');
    await untilState(world, id, 'PAUSED');
    const end = minuteIn(world, 2 * hourMs);
    await world.patch('ManagedService', 'orders', {
      metadata: { annotations: { [annotations.awakeUntil]: new Date(end).toISOString() } },
    });
    await untilState(world, id, 'READY');
    await world.apply(manifest);
    await passUntil(world, end);
    if (shownService(world, id)?.status !== 'READY')
      world.problems.push(`${id} was stopped before the end of its wake`);
    await untilState(world, id, 'PAUSED', end + stopDelayMs);
    created(world, 1);
    await removed(world, ['ManagedService', 'orders']);
  },
} satisfies Readonly<Record<string, Story>>;
