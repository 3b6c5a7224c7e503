import { approvalPrefix, namespaceAnnotations } from '../../../src/resources/annotations.ts';
import { resourceKey, type ResourceType } from '../../../src/runtime/index.ts';
import { service, vpc } from '../../support/manifests.ts';
import type { SimulatedWorld } from '../world.ts';
import {
  agreed,
  attachedVpc,
  created,
  idOf,
  large,
  reasonOf,
  removed,
  shownService,
  small,
  type Story,
} from './story.ts';

const minuteMs = 60_000;

/** Seven minutes of the day in an hour of virtual time from now, and of each later day. */
function windowSoon({ simulation }: SimulatedWorld) {
  const opensAt = Math.ceil((simulation.now + 20 * minuteMs) / minuteMs) * minuteMs;
  const closesAt = opensAt + 7 * minuteMs;
  const [from, to] = [opensAt, closesAt].map((at) => new Date(at).toISOString().slice(11, 16));
  return { opensAt, closesAt, text: `Mon-Sun ${from}-${to} UTC` };
}

async function heldIn(world: SimulatedWorld): Promise<readonly string[]> {
  const { heldChanges = [] } = (await world.object('ManagedService', 'orders'))?.status ?? {};
  return heldChanges.map(({ operation }) => operation);
}

function untilHeld(world: SimulatedWorld, operation: string): Promise<void> {
  return world.until(`${operation} to be held`, async () =>
    (await heldIn(world)).includes(operation),
  );
}

function cpuOf(world: SimulatedWorld, id: string): number | undefined {
  return shownService(world, id)?.resources?.[0]?.spec?.cpu_millis;
}

/** Waits for a change in the cloud, which must not begin before the opening. */
async function untilOpened(
  world: SimulatedWorld,
  opensAt: number,
  what: string,
  isMade: () => boolean,
): Promise<void> {
  await world.until(what, isMade);
  if (world.simulation.now < opensAt)
    world.problems.push(`${what} before its window opens, at ${world.simulation.now}`);
}

const namespaceType: ResourceType<unknown> = {
  group: '',
  version: 'v1',
  plural: 'namespaces',
  kind: 'Namespace',
  parse: (value) => value,
};

/** Has the Namespace of the objects require approvals. */
async function requireApproval({ kubernetes, namespace }: SimulatedWorld): Promise<void> {
  const annotations = { [namespaceAnnotations.changeApproval]: 'Required' };
  await kubernetes.patch(namespaceType, resourceKey(undefined, namespace), {
    metadata: { annotations },
  });
}

const larger = '1000m/4GB -> 2000m/8GB';

/** @param text null: the person removes the approval */
function approve(world: SimulatedWorld, text: string | null): Promise<void> {
  const annotations = { [`${approvalPrefix}resizeService`]: text };
  return world.patch('ManagedService', 'orders', { metadata: { annotations } });
}

async function isApproved(world: SimulatedWorld): Promise<boolean> {
  const { annotations = {} } = (await world.object('ManagedService', 'orders'))?.metadata ?? {};
  return `${approvalPrefix}resizeService` in annotations;
}

function untilWaitsFor(world: SimulatedWorld, wanted: 'Window' | 'Approval'): Promise<void> {
  return world.until(`the resize to wait for ${wanted}`, async () => {
    const { heldChanges = [] } = (await world.object('ManagedService', 'orders'))?.status ?? {};
    return heldChanges.some(({ waitsFor }) => waitsFor === wanted);
  });
}

/** Stories in which changes wait for a window. */
export const windows = {
  /** A resize waits, other changes do not; a drift waits for the next window. */
  async window(world) {
    const { opensAt, closesAt, text } = windowSoon(world);
    await world.apply(service('orders', { ...small, changeWindows: [text] }));
    await world.untilReady('ManagedService', 'orders');
    const id = await agreed(world, 'orders');
    await world.patch('ManagedService', 'orders', {
      spec: {
        ...large,
        connectionSecret: { database: 'shop' },
        environment: 'PROD',
        deletionProtection: false,
      },
    });
    await untilHeld(world, 'resizeService');
    await world.until(
      'the environment, which does not wait',
      () => shownService(world, id)?.metadata?.environment === 'PROD',
    );
    const reason = await reasonOf(world, 'ManagedService', 'orders');
    if (reason !== 'Available') world.problems.push(`orders waits, and is not Ready: ${reason}`);
    await untilOpened(world, opensAt, 'the resize', () => cpuOf(world, id) === large.cpuMillis);
    await world.untilReady('ManagedService', 'orders');
    await world.until('no held change', async () => (await heldIn(world)).length === 0);
    await world.letPass(Math.max(0, closesAt - world.simulation.now));
    await world.inCloud({
      method: 'POST',
      path: `services/${id}/resize`,
      body: { cpu_millis: '1000', memory_gbs: '4' },
    });
    await untilHeld(world, 'resizeService');
    await world.letPass(10 * minuteMs);
    if (cpuOf(world, id) !== small.cpuMillis)
      world.problems.push('a drift was corrected outside of the window');
    await world.patch('ManagedService', 'orders', { spec: { changeWindows: null } });
    await world.until('the correction', () => cpuOf(world, id) === large.cpuMillis);
    created(world, 1);
    await removed(world, ['ManagedService', 'orders']);
  },
  /** A service leaves its VPC as the window closes: the attach to the other VPC follows after the end. */
  async moveAtEnd(world) {
    await world.apply(
      vpc('prod'),
      vpc('test', { cidr: '10.1.0.0/16' }),
      service('orders', { ...small, vpcRef: { name: 'prod' } }),
    );
    await world.untilReady('ManagedVpc', 'test');
    await world.untilReady('ManagedService', 'orders');
    const id = await agreed(world, 'orders');
    const [prod, test] = await Promise.all(
      ['prod', 'test'].map((name) => idOf(world, 'ManagedVpc', name)),
    );
    const isIn = (vpcId: string | undefined) => attachedVpc(world, id) === vpcId;
    await world.until('orders to be in prod', () => isIn(prod));
    const { opensAt, text } = windowSoon(world);
    await world.patch('ManagedService', 'orders', {
      spec: { vpcRef: { name: 'test' }, changeWindows: [text] },
    });
    await untilHeld(world, 'detachServiceFromVpc');
    await untilOpened(world, opensAt, 'the detach', () => !isIn(prod));
    // The window closes while the service is in no VPC.
    await world.patch('ManagedService', 'orders', {
      spec: { changeWindows: ['Mon 00:00-00:01 UTC'] },
    });
    await world.until('orders to be in test', () => isIn(test));
    await world.untilReady('ManagedService', 'orders');
    await removed(
      world,
      ['ManagedService', 'orders'],
      ['ManagedVpc', 'prod'],
      ['ManagedVpc', 'test'],
    );
  },
  /** The process dies after a resize, and starts after the end of the window: a second resize waits. */
  async diesInWindow(world, { operators }) {
    const { opensAt, closesAt, text } = windowSoon(world);
    await world.apply(service('orders', { ...small, changeWindows: [text] }));
    await world.untilReady('ManagedService', 'orders');
    const id = await agreed(world, 'orders');
    await world.patch('ManagedService', 'orders', { spec: large });
    await untilHeld(world, 'resizeService');
    await untilOpened(world, opensAt, 'the resize', () => cpuOf(world, id) === large.cpuMillis);
    await world.untilReady('ManagedService', 'orders');
    await world.until('no held change', async () => (await heldIn(world)).length === 0);
    operators.pause();
    await world.letPass(Math.max(0, closesAt - world.simulation.now));
    // Meanwhile another client makes the service smaller again.
    await world.inCloud({
      method: 'POST',
      path: `services/${id}/resize`,
      body: { cpu_millis: '1000', memory_gbs: '4' },
    });
    operators.resume();
    await untilHeld(world, 'resizeService');
    await world.letPass(5 * minuteMs);
    if (cpuOf(world, id) !== small.cpuMillis)
      world.problems.push('a resize was sent outside of the window');
    await removed(world, ['ManagedService', 'orders']);
  },
  /** The process dies before it reads the answer to a resize, and the window is shut when the next process starts. */
  async diesAfterResize(world, { operators }) {
    const { opensAt, text } = windowSoon(world);
    await world.apply(service('orders', { ...small, changeWindows: [text] }));
    await world.untilReady('ManagedService', 'orders');
    const id = await agreed(world, 'orders');
    await world.patch('ManagedService', 'orders', { spec: large });
    await untilHeld(world, 'resizeService');
    await world.letPass(Math.max(0, opensAt - world.simulation.now));
    const resizes = () => world.carriedOut.filter((change) => change.endsWith('/resize')).length;
    for (let looks = 0; resizes() === 0 && looks < 60_000; looks += 1) await world.letPass(10);
    operators.pause();
    await world.patch('ManagedService', 'orders', {
      spec: { changeWindows: ['Mon 00:00-00:01 UTC'] },
    });
    operators.resume();
    await world.untilReady('ManagedService', 'orders');
    await world.until('the resize', () => cpuOf(world, id) === large.cpuMillis);
    // A cloud with old lists may show the former size for a while: then the change counts as held.
    await world.until('no held change', async () => (await heldIn(world)).length === 0);
    await world.patch('ManagedService', 'orders', { spec: { changeWindows: null } });
    await world.letPass(5 * minuteMs);
    if (resizes() !== 1)
      world.problems.push(`the cloud has carried out ${resizes()} resizes, not 1`);
    await removed(world, ['ManagedService', 'orders']);
  },
  /** A new service is complete at once. A resize that is approved and then reverted is not sent. */
  async revertedApproval(world) {
    await requireApproval(world);
    const { closesAt, text } = windowSoon(world);
    const highAvailability = { replicaCount: 1 };
    await world.apply(service('orders', { ...small, highAvailability, changeWindows: [text] }));
    await world.untilReady('ManagedService', 'orders');
    const id = await agreed(world, 'orders');
    await world.patch('ManagedService', 'orders', { spec: large });
    await untilWaitsFor(world, 'Approval');
    await approve(world, larger);
    await untilWaitsFor(world, 'Window');
    await world.patch('ManagedService', 'orders', {
      spec: { cpuMillis: small.cpuMillis, memoryGbs: small.memoryGbs },
    });
    await world.until('no held change', async () => (await heldIn(world)).length === 0);
    await world.letPass(Math.max(0, closesAt - world.simulation.now) + 5 * minuteMs);
    if (cpuOf(world, id) !== small.cpuMillis)
      world.problems.push('a resize was sent that the spec does not ask for');
    if (!(await isApproved(world)))
      world.problems.push('an approval that no change used was removed');
    await world.patch('ManagedService', 'orders', { spec: { deletionProtection: false } });
    await removed(world, ['ManagedService', 'orders']);
  },
  /** An approval with the word now starts outside of the windows. It counts once: drift asks again. */
  async approvedNow(world, { isHarmed }) {
    await requireApproval(world);
    await world.apply(service('orders', { ...small, changeWindows: [windowSoon(world).text] }));
    await world.untilReady('ManagedService', 'orders');
    const id = await agreed(world, 'orders');
    const { opensAt, text } = windowSoon(world);
    await world.patch('ManagedService', 'orders', { spec: { ...large, changeWindows: [text] } });
    await untilWaitsFor(world, 'Approval');
    await approve(world, `${larger}; now`);
    await world.until('the resize', () => cpuOf(world, id) === large.cpuMillis);
    if (world.simulation.now >= opensAt) world.problems.push('the resize waited for its window');
    await world.untilReady('ManagedService', 'orders');
    await world.letPass(minuteMs);
    if (await isApproved(world)) {
      if (!isHarmed) world.problems.push('a used approval stays');
      // A process died with the answer: the person removes the approval. (docs/safety.md, Changing)
      await approve(world, null);
    }
    await world.inCloud({
      method: 'POST',
      path: `services/${id}/resize`,
      body: { cpu_millis: '1000', memory_gbs: '4' },
    });
    await untilWaitsFor(world, 'Approval');
    await world.letPass(10 * minuteMs);
    if (cpuOf(world, id) !== small.cpuMillis)
      world.problems.push('a drift was corrected with a used approval');
    await approve(world, `${larger}; now`);
    await world.until('the approved correction', () => cpuOf(world, id) === large.cpuMillis);
    await world.patch('ManagedService', 'orders', { spec: { deletionProtection: false } });
    await removed(world, ['ManagedService', 'orders']);
  },
} satisfies Readonly<Record<string, Story>>;
