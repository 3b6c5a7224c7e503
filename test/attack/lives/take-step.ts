import { force } from '../../../src/simulator/store.ts';
import { letPass } from '../../support/let-pass.ts';
import { add, keep } from './allowance.ts';
import { kindOf, type Name, type Step } from './life.ts';
import { isHeld, secretNameOf, type Told } from './people.ts';
import type { Scene } from './scene.ts';
import { takeAway } from './take-away.ts';

/** Takes a step of a life. @returns the outcome */
export async function takeStep(scene: Scene, step: Step): Promise<Told> {
  const { life, world, people: hands, crew: operators, allowed } = scene;
  switch (step.does) {
    case 'edit':
      return hands.edit(step.name, step.change);
    case 'replace':
      return hands.replace(step.name, step.by);
    case 'strip':
      return hands.strip(step.name, step.what, step.by);
    case 'sync':
      return hands.annotate(step.name, {
        'reconcile.managed-db.io/requestedAt': String(world.clock.now()),
      });
    case 'delete':
      return remove(scene, step.name, step.retain);
    case 'apply':
      return applyAgain(scene, step.name, step.restored);
    case 'secret': {
      const name = secretNameOf(step.name, await hands.get(step.name));
      const password = `edited-${life.seed}-${Math.round(world.clock.now())}`;
      if (step.how === 'edit') allowed.passwords.add(password);
      return hands.harmSecret(name, step.how, password);
    }
    case 'source': {
      const password = `source-${life.seed}-${Math.round(world.clock.now())}`;
      allowed.passwords.add(password);
      return hands.putSecret('source', { password });
    }
    case 'key':
      if (step.is === 'deleted') return hands.harmSecret('key', 'delete', '');
      return hands.putSecret('key', {
        apiKey: step.is === 'right' ? world.project.apiKey : 'no-key-of-anybody',
      });
    case 'busy':
      return keepBusy(scene, step.name, step.status, step.forMs);
    case 'lose':
      return lose(scene, step.name);
    case 'drift': {
      const id = (await hands.get(step.name))?.status?.id;
      if (id === undefined || kindOf[step.name] !== 'service') return 'skipped: nothing to change';
      // A fault for the operator may hit this request, too, with or without an effect of the request.
      const status = await world
        .createInCloud(`services/${id}/resize`, { cpu_millis: '8000', memory_gbs: '32' })
        .catch(() => undefined);
      return status === undefined ? 'skipped: the cloud did not answer' : 'done';
    }
    case 'fault':
      world.project.faults.add(step.fault);
      return 'done';
    case 'trap':
      operators.set(step.trap);
      return 'done';
    case 'kill':
      operators.kill();
      return 'done';
    case 'restart':
      await operators.restart();
      return 'done';
    case 'freeze':
      operators.freeze(step.forMs);
      return 'done';
  }
}

/** Deletes an object, and notes where its resource stays by that. */
export async function remove(
  { people: hands, allowed, saved }: Scene,
  name: Name,
  retain: boolean,
): Promise<Told> {
  if (retain) await hands.edit(name, { deletionPolicy: 'Retain' });
  const deleted = await hands.delete(name);
  if (typeof deleted === 'string') return deleted;
  saved.set(name, deleted);
  const isLeft =
    deleted.spec['deletionPolicy'] === 'Retain' ||
    deleted.spec['managementPolicy'] === 'Observe' ||
    !isHeld(deleted);
  if (isLeft) keep(allowed, name, deleted);
  return 'done';
}

async function applyAgain(
  { life, people: hands, allowed, saved, world }: Scene,
  name: Name,
  restored: boolean,
): Promise<Told> {
  const before = saved.get(name);
  if (!life.cast.includes(name) || !before) return 'skipped: it was never deleted';
  const deadline = world.clock.now() + 60_000;
  while ((await hands.get(name))?.metadata.deletionTimestamp) {
    if (world.clock.now() > deadline) return 'skipped: it is not gone yet';
    await letPass(world, 2_000);
  }
  const told = await hands.create(name, before.spec, restored ? before.metadata.annotations : {});
  if (told === 'done') add(allowed.asked, name);
  return told;
}

async function keepBusy(
  { people: hands, world }: Scene,
  name: Name,
  status: string,
  forMs: number,
): Promise<Told> {
  const id = (await hands.get(name))?.status?.id ?? '';
  const { project, clock } = world;
  const shown = () => project.stores.service.get(id)?.timeline.at(clock.now())?.status;
  if (shown() !== 'READY') return 'skipped: it is busy, or no service';
  force(project, { kind: 'service', id, status });
  clock.schedule(forMs, () => {
    if (shown() === status) force(project, { kind: 'service', id, status: 'READY' });
  });
  return 'done';
}

async function lose({ people: hands, allowed, world }: Scene, name: Name): Promise<Told> {
  const id = (await hands.get(name))?.status?.id;
  const isThere = (each: string) =>
    world.project.everCreated.some(
      (created) => created.id === each && created.deletedAt === undefined,
    );
  if (id === undefined || !isThere(id)) return 'skipped: nothing to lose';
  takeAway(world, id);
  add(allowed.asked, name);
  if (kindOf[name] === 'service' && name === 'orders') add(allowed.asked, 'reads');
  return 'done';
}
