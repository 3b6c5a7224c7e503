import { annotations } from '../../src/resources/annotations.ts';
import {
  secretNameOf,
  isConnected,
  secretsWithData,
} from '../../src/resources/connection-secret.ts';
import { resourceKey } from '../../src/runtime/index.ts';
import type { FaultInput } from '../../src/simulator/faults.ts';
import { kindOf, manifestOf, type ObjectName, type RandomLife, type Step } from './lives.ts';
import { checkAtRest, checkAtTheEnd, removeAll, settle, untilQuiet } from './rest.ts';
import { isAlive, objectOf, type Scene, takeAway } from './scene.ts';
import { storedEntries } from './stored.ts';
import type { Story } from './stories/story.ts';
import { calm, type Weather, weathers } from './weather.ts';

/**
 * The story of a random life: its steps, then good weather and feasible specs. Every object must become Ready, if
 * necessary by the advice of its message, and then the operators must be quiet. In the end, all is deleted.
 * @param only the indices of the steps to take. Default: all
 */
export function storyOf(life: RandomLife, only?: readonly number[]): Story {
  return async (world, { operators }) => {
    const scene: Scene = {
      life,
      world,
      operators,
      ids: new Map(),
      lostAt: Number.NEGATIVE_INFINITY,
    };
    spareProofs(scene);
    const taken = life.steps.filter((_, index) => only?.includes(index) !== false);
    await world.apply(...life.cast.map((name) => manifestOf(name, life.cast)));
    await putSource(scene, Buffer.from('of-a-user').toString('base64'));
    for (const step of taken) {
      await world.letPass(step.afterMs);
      // An action may be refused, such as the edit of an object that has just gone.
      await take(step, scene).catch((error: unknown) =>
        world.simulation.note(`${step.does}: ${String(error)}`),
      );
      for (const name of life.cast) noteId(scene, name);
    }
    world.network.weather = calm;
    world.project.faults.clear();
    await world.letPass(longestFreezeMs(taken));
    // Two thirds of the events would be their looks at the Lease.
    operators.retireStandBys();
    await putSource(scene, Buffer.from('of-a-user-at-last').toString('base64'));
    await settle(scene);
    await untilQuiet(scene, 'when all is Ready');
    checkAtRest(scene);
    await removeAll(scene);
    await untilQuiet(scene, 'when all is gone');
    checkAtTheEnd(scene);
  };
}

function longestFreezeMs(steps: readonly Step[]): number {
  return Math.max(0, ...steps.map((step) => (step.does === 'freeze' ? step.forMs : 0)));
}

async function take(step: Step, scene: Scene): Promise<void> {
  const { world, operators, life, ids } = scene;
  switch (step.does) {
    case 'edit': {
      const object = objectOf(scene, step.name);
      // The decision to delete is the user's last word.
      if (!object || object.metadata.deletionTimestamp !== undefined) return;
      return world.patch(kindOf[step.name], step.name, { spec: step.change });
    }
    case 'delete':
      if (objectOf(scene, step.name)?.metadata.deletionTimestamp !== undefined) return;
      if (step.retain)
        await world.patch(kindOf[step.name], step.name, { spec: { deletionPolicy: 'Retain' } });
      return world.delete(kindOf[step.name], step.name);
    case 'apply': {
      const id = ids.get(step.name);
      if (objectOf(scene, step.name)) return;
      const adoption = step.adopts && id !== undefined ? { [annotations.externalId]: id } : {};
      return world.apply(manifestOf(step.name, life.cast, adoption));
    }
    case 'replace':
      await world.delete(kindOf[step.name], step.name);
      for (let looks = 0; looks < 120 && objectOf(scene, step.name); looks += 1)
        await world.letPass(500);
      if (objectOf(scene, step.name)) return;
      return world.apply(manifestOf(step.name, life.cast));
    case 'secret':
      return harmSecret(scene, step.name, step.how);
    case 'source':
      return putSource(scene, step.password);
    case 'lose': {
      const id = ids.get(step.name);
      if (id !== undefined) takeAway(scene, id);
      return;
    }
    case 'fault':
      if (hidesKnown(scene, step.fault) || delaysProof(scene, step.fault)) return;
      return world.project.faults.add(step.fault);
    case 'gateway':
      return openGateway(scene, step.forMs);
    case 'watches':
      return world.network.harmWatches(step.how);
    case 'kill':
      return operators.kill();
    case 'freeze':
      return operators.freeze(step.forMs);
  }
}

/** Whether a fault hides a resource that a list may have shown: then LIST, GET and DELETE prove its end. (docs/safety.md, Gone) */
function hidesKnown({ world: { project, simulation } }: Scene, fault: FaultInput): boolean {
  return (
    fault.kind === 'notYet' &&
    project.everCreated.some(
      (each) =>
        isAlive(each, simulation.now) && simulation.now - Date.parse(each.createdAt) < fault.ageMs,
    )
  );
}

/** Whether lists may lack the result of a create for two minutes. (docs/safety.md, Not promised) */
function delaysProof({ life }: Scene, fault: FaultInput): boolean {
  return (
    fault.kind === 'delay' &&
    fault.operation === 'createService' &&
    fault.delayMs + life.conditions.listLagMs > latestProofMs
  );
}

/** Before the two minutes after which the operator believes lists about a create without an answer. */
const latestProofMs = 100_000;

/**
 * From now on, no truncated list lacks a service that no entry names, or that is being deleted. The operator would take such a
 * list as the proof that its create made nothing, or that its DELETE is carried out. (docs/safety.md, Not promised, and Gone)
 */
function spareProofs({ world: { project, simulation, apiServer } }: Scene): void {
  const { faults, stores } = project;
  const takeAny = faults.take.bind(faults);
  faults.take = (operation, name) => {
    const fault = takeAny(operation, name);
    if (fault?.kind !== 'truncatedList') return fault;
    const named = new Set(storedEntries(apiServer).map(({ content }) => content?.id));
    const listed = [...stores.service].flatMap(([id, { timeline }]) => {
      const service = timeline.at(simulation.now);
      return service ? [{ id, isLeaving: service.status === 'DELETING' }] : [];
    });
    const dropped = listed.slice(-fault.drop);
    return dropped.some(({ id, isLeaving }) => isLeaving || !named.has(id)) ? undefined : fault;
  };
}

function noteId(scene: Scene, name: ObjectName): void {
  const id = objectOf(scene, name)?.status?.id;
  if (id !== undefined) scene.ids.set(name, id);
}

async function harmSecret(scene: Scene, name: ObjectName, how: 'delete' | 'wipe'): Promise<void> {
  const { world } = scene;
  const object = objectOf(scene, name);
  if (!object || !isConnected(object)) return;
  const key = resourceKey(world.namespace, secretNameOf(object));
  if (how === 'delete') await world.kubernetes.delete<unknown>(secretsWithData, key);
  else await world.kubernetes.patch<unknown>(secretsWithData, key, { data: null });
}

/** @param password base64 */
export function putSource({ world }: Scene, password: string): Promise<void> {
  const metadata = { name: 'source' };
  return world.apply({ apiVersion: 'v1', kind: 'Secret', metadata, data: { password } });
}

function openGateway({ world, life }: Scene, forMs: number): void {
  const { network, project, simulation } = world;
  const usual = weathers[life.conditions.weather];
  const opened: Weather = { ...usual, cloud: { ...usual.cloud, gatewayPage: 0.5 } };
  network.weather = opened;
  project.faults.add({ kind: 'truncatedList', operation: 'listServices', drop: 1, times: 10 });
  simulation.after(forMs, undefined, 'the gateway is well', () => {
    // The life may have come to its end, or another gateway may have opened.
    if (network.weather === opened) network.weather = usual;
  });
}
