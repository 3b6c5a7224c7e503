import { connectionAnnotations } from '../../../src/resources/connection-secret.ts';
import { connectionLabel } from '../../../src/resources/annotations.ts';
import { events } from './events.ts';
import { letPass } from '../../support/let-pass.ts';
import type { Clock } from '../../../src/runtime/index.ts';
import type { Created } from '../../../src/simulator/store.ts';
import { kindOf, type Name } from './life.ts';
import type { Scene } from './scene.ts';
import type { World } from '../../support/world.ts';
import { secretNameOf } from './people.ts';

const quietForMs = 10_000;
/** What was begun before comes to its end: lists that lag, Secrets that go. */
const calmWithinMs = 150_000;

/** Nothing is written, and nothing but looked, for some seconds, soon. */
export async function quietly({ crew, world }: Scene, when: string): Promise<readonly string[]> {
  const deadline = world.clock.now() + calmWithinMs;
  for (;;) {
    const before = crew.changes().length;
    await letPass(world, quietForMs);
    const since = crew.changes().slice(before);
    if (since.length === 0) return [];
    if (world.clock.now() > deadline) return [`${when}, it goes on: ${since.map(({ name }) => name).join(', ')}`];
  }
}

/** What holds when every object is Ready. */
export async function problemsAtRest(scene: Scene): Promise<readonly string[]> {
  const { life, world, people, allowed } = scene;
  const { project } = world;
  const problems = [...(await problemsAnytime(scene))];
  const passwords = new Map<string, string | undefined>();
  const parents: string[] = [];
  const ids: string[] = [];
  for (const name of life.cast) {
    const object = await people.get(name);
    const id = object?.status?.id ?? '';
    ids.push(id);
    const alive = aliveOf(world, name);
    if (!alive.includes(id)) problems.push(`${name} says that it is ${id}, and there is ${alive.join(', ')}`);
    const most = 1 + (allowed.left.get(name) ?? 0);
    if (alive.length > most) problems.push(`${name} is there ${alive.length} times (${alive.join(', ')}), ${most} at most`);
    const made = project.everCreated.filter((each) => isOf(each, name)).length;
    if (made > (allowed.asked.get(name) ?? 0))
      problems.push(`${name} was made ${made} times, and asked for ${allowed.asked.get(name)} times`);
    if (kindOf[name] === 'vpc') {
      const peerings = project.everCreated.filter((each) => each.parentId === id && each.deletedAt === undefined).length;
      if (peerings !== 1) problems.push(`${name} has ${peerings} peerings, and wants one`);
      continue;
    }
    const secret = await world.secret(secretNameOf(name, object));
    passwords.set(id, secret?.['password']);
    if (kindOf[name] === 'replicaSet') parents.push(id, object?.status?.serviceId ?? '');
    if (kindOf[name] === 'service' && secret?.['password'] !== project.stores.service.get(id)?.password)
      problems.push(`the password of ${name} does not work`);
  }
  // One whose service was kept goes on with that.
  const [set = '', parent = ''] = parents;
  if (passwords.has(parent) && passwords.get(set) !== passwords.get(parent)) problems.push('the password of reads is not that of orders');
  for (const { metadata } of await people.secrets()) {
    // With a service that was kept goes what may be the only copy of its password.
    const isKept = isKeptInCloud(world, metadata.annotations?.[connectionAnnotations.id], ids);
    // Whoever took the label off took the Secret out of the operator's sight: it stays until its object goes.
    const isSeen = metadata.labels?.[connectionLabel] === 'true';
    if (metadata.name.endsWith('-pending') && isSeen && !isKept) problems.push(`Secret ${metadata.name} is left`);
  }
  return problems;
}

/** There, and no object stands for it. */
function isKeptInCloud({ project, clock }: World, id: string | undefined, idsOfObjects: readonly string[]): boolean {
  return project.everCreated.some((each) => each.id === id && isAlive(each, clock)) && !idsOfObjects.includes(id ?? '');
}

/** What holds when every object was deleted. */
export async function problemsInTheEnd(scene: Scene): Promise<readonly string[]> {
  const { life, people, world } = scene;
  const problems = [...(await problemsAnytime(scene))];
  for (const name of life.cast) {
    const alive = aliveOf(world, name);
    if (alive.length > 0) problems.push(`${name} is left in the cloud ${alive.length} times`);
  }
  for (const { metadata } of await people.secrets()) {
    if (metadata.finalizers?.some((each) => each.startsWith('managed-db.io/'))) problems.push(`Secret ${metadata.name} is held for ever`);
  }
  return problems;
}

async function problemsAnytime({ world, crew, bystanders, allowed, people, life }: Scene): Promise<readonly string[]> {
  const { project } = world;
  const problems: string[] = [];
  for (const id of bystanders) {
    const touched = crew.changes().filter(({ isCloud, path }) => isCloud && path.includes(id));
    if (touched.length > 0) problems.push(`somebody else's ${id} was touched: ${touched.map(({ name }) => name).join(', ')}`);
    if (project.everCreated.find((each) => each.id === id)?.deletedAt !== undefined) problems.push(`somebody else's ${id} is gone`);
  }
  const said = [
    ...world.log,
    JSON.stringify(await events(world)),
    JSON.stringify(await Promise.all(life.cast.map((name) => people.get(name)))),
  ].join('\n');
  for (const { password } of project.stores.service.values()) allowed.passwords.add(password);
  for (const password of [...allowed.passwords, project.apiKey]) {
    if (said.includes(password)) problems.push('a password or a key can be read in the log, a status or an event');
  }
  return problems;
}

function isOf({ kind, name }: Created, wanted: Name): boolean {
  return kind === kindOf[wanted] && (name ?? '').startsWith(`${wanted}-`);
}

/** What is there of an object in the cloud, by the name that it gives. */
export function aliveOf({ project, clock }: World, name: Name): readonly string[] {
  return project.everCreated.filter((each) => isOf(each, name) && isAlive(each, clock)).map(({ id }) => id);
}

export function isAlive({ deletedAt }: Created, clock: Clock): boolean {
  return deletedAt === undefined || Date.parse(deletedAt) > clock.now();
}
