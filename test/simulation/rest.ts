import { annotations } from '../../src/resources/annotations.ts';
import { isConnected, secretNameOf } from '../../src/resources/connection-secret.ts';
import { syncedOf } from '../../src/resources/condition.ts';
import type { ManagedObject } from '../../src/resources/managed-object.ts';
import { unlessNotFound } from '../../src/runtime/index.ts';
import { kindOf, manifestOf, type ObjectName } from './lives.ts';
import { isAlive, objectOf, type Scene, takeAway } from './scene.ts';
import { storedEntries, storedSecrets } from './stored.ts';
import type { SimulatedWorld } from './world.ts';

const quietMs = 45_000;
/** Longer than all back-offs. */
const longestMs = 7_200_000;
const lookEveryMs = 5_000;
const tryAgainMs = 300_000;
/** The operators look at each resource about once a minute, in lists with the lag of the life, and then prove an absence. */
const noticedWithinMs = 90_000;

/** No fault and no user hinders the operators any more: every object must become Ready. */
export async function settle(scene: Scene): Promise<void> {
  const { world, life } = scene;
  const rested = new Set<string>();
  const followed = new Set<string>();
  await within(scene, 'not Ready', async () => {
    const noticedAt = scene.lostAt + noticedWithinMs + life.conditions.listLagMs;
    let isReadyAtAll = world.simulation.now > noticedAt;
    for (const name of life.cast) {
      const object = objectOf(scene, name);
      if (object && isReady(object) && rested.has(object.metadata.uid)) continue;
      isReadyAtAll = false;
      if (!object) {
        await world.apply(manifestOf(name, life.cast));
      } else if (!rested.has(object.metadata.uid)) {
        const spec = restingSpec(scene, name, object);
        // A deleted object may have gone meanwhile.
        await unlessNotFound(world.patch(kindOf[name], name, { spec }));
        rested.add(object.metadata.uid);
      } else await follow(scene, name, object, followed);
    }
    return isReadyAtAll;
  });
}

/** Deletes all objects, and waits until they are gone. Users remove the resources that they retained. */
export async function removeAll(scene: Scene): Promise<void> {
  const { world, life } = scene;
  for (const name of life.cast) await world.delete(kindOf[name], name);
  await within(scene, 'not gone', () => {
    const objects = life.cast.flatMap((name) => objectOf(scene, name) ?? []);
    const needed = new Set(objects.flatMap(({ status }) => status?.id ?? []));
    for (const id of livingIn(world))
      if (!needed.has(id) && isRetained(world, id)) takeAway(scene, id);
    return Promise.resolve(objects.length === 0);
  });
}

/** The operators must send no change for some time. */
export async function untilQuiet({ world, operators }: Scene, when: string): Promise<void> {
  const deadline = world.simulation.now + 20 * quietMs;
  for (;;) {
    const before = operators.changes;
    await world.letPass(quietMs);
    if (operators.changes === before) return;
    if (world.simulation.now < deadline) continue;
    world.problems.push(`${when}, the operators do not come to rest`);
    return;
  }
}

/** Each object has its resource, and its connection Secret has the password of the cloud. */
export function checkAtRest(scene: Scene): void {
  const { world, life } = scene;
  const { problems, project } = world;
  const living = livingIn(world);
  for (const name of life.cast) {
    const object = objectOf(scene, name);
    const id = object?.status?.id ?? '';
    if (!living.has(id)) problems.push(`${name} is Ready, and the cloud does not have its id`);
    const entry = storedEntries(world.apiServer).find(
      ({ content }) => content?.object.uid === object?.metadata.uid,
    );
    if (entry?.content?.id !== id) problems.push(`${name} is Ready, and its entry has another id`);
    if (!object || !isConnected(object)) continue;
    const secret = storedSecrets(world.apiServer, world.namespace).find(
      ({ metadata }) => metadata.name === secretNameOf(object),
    );
    const service = object.kind === 'ManagedService' ? id : object.status?.serviceId;
    const password = project.stores.service.get(service ?? '')?.password;
    if (secret?.data['password'] !== password)
      problems.push(`${name} is Ready, and its connection Secret has another password`);
  }
}

/** The resources that are left in the cloud were retained, and the ledger knows them. */
export function checkAtTheEnd({ world }: Scene): void {
  const { problems, apiServer } = world;
  const living = livingIn(world);
  for (const id of living)
    if (!isRetained(world, id)) problems.push(`the cloud has ${id}, and no entry names it`);
  for (const { metadata, content } of storedEntries(apiServer))
    if (content?.attempt) problems.push(`entry ${metadata.name} has an open attempt for ever`);
}

function isRetained({ apiServer }: SimulatedWorld, id: string): boolean {
  return storedEntries(apiServer).some(({ content }) => content?.id === id);
}

/** The ids of the resources in the cloud, except for peerings. */
function livingIn({ project }: SimulatedWorld): ReadonlySet<string> {
  return new Set(
    project.everCreated
      .filter((each) => each.kind !== 'peering' && isAlive(each, project.clock.now()))
      .map(({ id }) => id),
  );
}

async function within(
  scene: Scene,
  problem: string,
  isDone: () => Promise<boolean>,
): Promise<void> {
  const { world, life } = scene;
  const deadline = world.simulation.now + longestMs;
  while (!(await isDone())) {
    if (world.simulation.now > deadline) {
      const said = life.cast.flatMap((name) => {
        const object = objectOf(scene, name);
        if (!object || (problem === 'not Ready' && isReady(object))) return [];
        const { reason, message } = syncedOf(object) ?? {};
        const isGoing = object.metadata.deletionTimestamp !== undefined;
        return [`${name}${isGoing ? ' (in deletion)' : ''} ${reason} "${message}"`];
      });
      throw new Error(`${problem}: ${said.join('; ')}`);
    }
    await world.letPass(lookEveryMs);
  }
}

function isStanding(object: ManagedObject | undefined): boolean {
  return object !== undefined && object.metadata.deletionTimestamp === undefined;
}

function isReady(object: ManagedObject): boolean {
  const synced = syncedOf(object);
  return (
    object.metadata.deletionTimestamp === undefined &&
    synced?.status === 'True' &&
    synced.observedGeneration === object.metadata.generation &&
    !synced.message.includes('without a password')
  );
}

/** A merge patch that undoes all edits. */
function restingSpec({ life }: Scene, name: ObjectName, { metadata }: ManagedObject): object {
  const reset = { suspend: null, managementPolicy: null, deletionPolicy: 'Delete' };
  const { spec } = manifestOf(name, life.cast);
  if (name === 'prod') return { ...reset, ...spec };
  if (name === 'reads') return { ...reset, connectionSecret: null, ...spec };
  const isGoing = metadata.deletionTimestamp !== undefined;
  return {
    ...reset,
    powerState: 'Running',
    password: isGoing ? null : { rotation: 'at-last', secretRef: null },
    connectionSecret: null,
    vpcRef: null,
    ...spec,
  };
}

/** Follows the advice in the message of an object. If lists lagged, the same advice may need a second try. */
async function follow(
  scene: Scene,
  name: ObjectName,
  object: ManagedObject,
  followed: Set<string>,
): Promise<void> {
  const { world } = scene;
  const { reason, message = '' } = syncedOf(object) ?? {};
  const period = Math.floor(world.simulation.now / tryAgainMs);
  const advice = `${object.metadata.uid} ${reason} ${message} ${period}`;
  if (followed.has(advice)) return;
  followed.add(advice);
  const annotate = (texts: object) =>
    world.patch(kindOf[name], name, { metadata: { annotations: texts } });
  const valueOf = (annotation: string) =>
    new RegExp(`${annotation}=([\\w-]+)`, 'u').exec(message)?.[1];
  switch (reason) {
    case 'Lost':
      return annotate({ [annotations.allowRecreate]: valueOf(annotations.allowRecreate) });
    case 'NotBound': {
      const left = valueOf(annotations.createAnyway);
      if (left === undefined) return annotate({ [annotations.ledger]: null });
      const way = livingIn(world).has(left) ? annotations.externalId : annotations.createAnyway;
      return annotate({ [way]: left });
    }
    case 'AdoptionFailed':
    case 'NotAllowed':
      return annotate({ [annotations.externalId]: null });
    case 'NotApplied':
      return world.patch(kindOf[name], name, { spec: { deletionPolicy: null } });
    case 'Available':
      return world.patch(kindOf[name], name, { spec: { password: { rotation: 'told' } } });
    case 'SecretConflict': {
      // The Secret of a retained or observed database stays, and a new database needs another.
      if (!message.includes('choose another spec.connectionSecret.name')) return;
      const another = `${name}-${object.metadata.uid.slice(0, 8)}`;
      return world.patch(kindOf[name], name, { spec: { connectionSecret: { name: another } } });
    }
    case 'DeletionBlocked':
      return unblock(scene, name, message);
    case undefined:
    default:
      return;
  }
}

/** Removes the resource without an object that blocks a deletion, or deletes the other objects, too. */
async function unblock(scene: Scene, name: ObjectName, message: string): Promise<void> {
  const { world, life } = scene;
  const [, id] = /(\S+) \(no object\)/u.exec(message) ?? [];
  if (id !== undefined) return takeAway(scene, id);
  for (const each of life.cast)
    if (each !== name && isStanding(objectOf(scene, each)))
      await unlessNotFound(world.delete(kindOf[each], each));
}
