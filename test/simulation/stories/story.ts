import type { Kind } from '../../../src/resources/managed-object.ts';
import { vpcOf } from '../../../src/simulator/services.ts';
import { force } from '../../../src/simulator/store.ts';
import type { Deployment } from '../deployment.ts';
import { isLiving, storedEntries } from '../stored.ts';
import type { Sharder } from '../sharder.ts';
import type { SimulatedWorld } from '../world.ts';

/** The operators of a story, and other clusters. */
export interface Stage {
  readonly operators: Deployment;
  /** Whether a call of this life is harmed. A process that dies may lose a report that no later visit repeats. */
  readonly isHarmed: boolean;
  /** Makes another cluster for the same project, without an operator. */
  anotherCluster(): Promise<SimulatedWorld>;
  /** Starts operators in another cluster. */
  operate(
    cluster: SimulatedWorld,
    acceptedClusters?: readonly string[],
  ): Pick<Deployment, 'pause' | 'resume'>;
  /** Replaces the operators by three processes that share the objects. */
  share(): Sharder;
}

/**
 * The actions of users, with the waits between them, and the checks of the truth. It ends with an empty namespace.
 * @throws if a wait is in vain
 */
export type Story = (world: SimulatedWorld, stage: Stage) => Promise<void>;

/** Longer than the deadline of a call, so that a late change would show. */
const lateMs = 150_000;

export const small = { environment: 'DEV', cpuMillis: 1_000, memoryGbs: 4 };
export const large = { cpuMillis: 2_000, memoryGbs: 8 };

/** Deletes objects, all at once, and waits until the cloud and the ledger are empty. */
export async function removed(
  world: SimulatedWorld,
  ...objects: readonly (readonly [Kind, string])[]
): Promise<void> {
  for (const [kind, name] of objects) await world.delete(kind, name);
  for (const [kind, name] of objects) await world.untilGone(kind, name);
  await emptied(world);
}

/** Waits until the ledger is empty. Then the cloud must be empty, now and later. */
export async function emptied(world: SimulatedWorld): Promise<void> {
  await world.until('an empty ledger', () => storedEntries(world.apiServer).length === 0);
  for (const afterMs of [0, lateMs]) {
    await world.letPass(afterMs);
    const left = livingIn(world).map(({ kind, id, name = id }) => `${kind} ${name}`);
    if (left.length > 0) world.problems.push(`in the end the cloud has ${left.join(', ')}`);
  }
}

/** The resources that exist in the cloud. */
export function livingIn({ project: { everCreated, clock } }: SimulatedWorld) {
  return everCreated.filter((each) => isLiving(each, clock.now()));
}

/** The id in the status of an object; empty if it has none. */
export async function idOf(world: SimulatedWorld, kind: Kind, name: string): Promise<string> {
  return (await world.object(kind, name))?.status?.id ?? '';
}

/** The reason of the condition Ready. */
export async function reasonOf(
  world: SimulatedWorld,
  kind: Kind,
  name: string,
): Promise<string | undefined> {
  const conditions = (await world.object(kind, name))?.status?.conditions ?? [];
  return conditions.find(({ type }) => type === 'Ready')?.reason;
}

/** Waits until a condition has this reason, such as `Synced` of an object that is ready and cannot be changed. */
export async function untilSaid(
  world: SimulatedWorld,
  [kind, name]: readonly [Kind, string],
  reason: string,
): Promise<void> {
  await world.until(`${name} to report ${reason}`, async () => {
    const conditions = (await world.object(kind, name))?.status?.conditions ?? [];
    return conditions.some((each) => each.reason === reason);
  });
}

/** Waits until the message of a condition fits. */
export async function untilTold(
  world: SimulatedWorld,
  [kind, name]: readonly [Kind, string],
  words: RegExp,
): Promise<void> {
  await world.until(`${name} to say ${words.source}`, async () => {
    const conditions = (await world.object(kind, name))?.status?.conditions ?? [];
    return conditions.some(({ message }) => words.test(message));
  });
}

/** Waits until the cloud shows a service in the large size. */
export async function untilLarge(world: SimulatedWorld, id: string): Promise<void> {
  await world.until(
    `the resize of ${id}`,
    () => shownService(world, id)?.resources?.[0]?.spec?.cpu_millis === large.cpuMillis,
  );
}

/**
 * Waits until a service object and its Secret agree with the cloud and the ledger: the same id, the same password, no
 * other password in flight. @returns the id
 */
export async function agreed(
  world: SimulatedWorld,
  name: string,
  secretName = `${name}-db`,
): Promise<string> {
  let id = '';
  await world.until(`${name}, its Secret, the ledger and the cloud to agree`, async () => {
    const object = await world.object('ManagedService', name);
    const entry = object && (await world.entry('ManagedService', object.metadata.uid));
    id = entry?.content?.id ?? '';
    const password = world.project.stores.service.get(id)?.password;
    return (
      id !== '' &&
      object?.status?.id === id &&
      livingIn(world).some((each) => each.id === id) &&
      (await world.secret(secretName))?.['password'] === password &&
      JSON.stringify(entry?.data) === JSON.stringify({ password })
    );
  });
  return id;
}

/** Rotates the password of a service object as soon as it is ready, and waits until all agree. */
export async function withNewPassword(world: SimulatedWorld, name: string): Promise<void> {
  await world.untilReady('ManagedService', name);
  const rotation = `after ${world.simulation.now}`;
  await world.patch('ManagedService', name, { spec: { password: { rotation } } });
  await world.untilReady('ManagedService', name);
  await agreed(world, name);
}

/** The number of resources that were ever created must be this. */
export function created(world: SimulatedWorld, count: number): void {
  const { length } = world.project.everCreated;
  if (length !== count) world.problems.push(`the cloud created ${length} resources, not ${count}`);
}

/** A resource must exist. */
export function stays(world: SimulatedWorld, id: string): void {
  if (!livingIn(world).some((each) => each.id === id))
    world.problems.push(`${id} is gone, although it should stay`);
}

/** A resource disappears without a request, with all that depends on it. */
export function lose({ project }: SimulatedWorld, id: string): void {
  for (const each of project.everCreated.toReversed())
    if ((each.id === id || each.parentId === id) && isLiving(each, project.clock.now()))
      force(project, { kind: each.kind, id: each.id, status: undefined });
}

/** How the cloud shows a service now. */
export function shownService({ project }: SimulatedWorld, id: string) {
  return project.stores.service.get(id)?.timeline.at(project.clock.now());
}

/** The VPC to which a service is attached in the cloud. */
export function attachedVpc(world: SimulatedWorld, id: string): string | undefined {
  return vpcOf(shownService(world, id) ?? {});
}

/** The ids in the ledger. */
export function idsInLedger({ apiServer }: SimulatedWorld): readonly (string | undefined)[] {
  return storedEntries(apiServer).map(({ content }) => content?.id);
}
