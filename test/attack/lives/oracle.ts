import { events } from './events.ts';
import { entriesOf } from '../../support/entries-of.ts';
import { letPass } from '../../support/let-pass.ts';
import { peering } from '../../support/manifests.ts';
import type { Clock } from '../../../src/runtime/index.ts';
import type { Created } from '../../../src/simulator/store.ts';
import { kindOf, type Name } from './life.ts';
import type { Scene } from './scene.ts';
import type { World } from '../../support/world.ts';
import { secretNameOf } from './people.ts';

const quietForMs = 10_000;
/** Time for earlier work to end: lagging lists, Secrets in deletion. */
const calmWithinMs = 150_000;

/** Within the time above, the operators must send no change for some seconds. */
export async function quietly({ crew, world }: Scene, when: string): Promise<readonly string[]> {
  const deadline = world.clock.now() + calmWithinMs;
  for (;;) {
    const before = crew.changes().length;
    await letPass(world, quietForMs);
    const since = crew.changes().slice(before);
    if (since.length === 0) return [];
    if (world.clock.now() > deadline)
      return [`${when}, it goes on: ${since.map(({ name }) => name).join(', ')}`];
  }
}

/** The problems once every object is Ready. */
export async function problemsAtRest(scene: Scene): Promise<readonly string[]> {
  const { life, world, people, allowed } = scene;
  const { project } = world;
  const problems = [...(await problemsAnytime(scene))];
  const passwords = new Map<string, string | undefined>();
  const parents: string[] = [];
  for (const name of life.cast) {
    const object = await people.get(name);
    const id = object?.status?.id ?? '';
    const alive = aliveOf(world, name);
    if (!alive.includes(id))
      problems.push(`${name} says that it is ${id}, and there is ${alive.join(', ')}`);
    const most = 1 + (allowed.left.get(name) ?? 0);
    if (alive.length > most)
      problems.push(
        `${name} is there ${alive.length} times (${alive.join(', ')}), ${most} at most`,
      );
    const made = project.everCreated.filter((each) => isOf(each, name)).length;
    if (made > (allowed.asked.get(name) ?? 0))
      problems.push(
        `${name} was made ${made} times, and asked for ${allowed.asked.get(name)} times`,
      );
    if (kindOf[name] === 'vpc') {
      const there = [...project.stores.peering.values()].filter(({ parentId }) => parentId === id);
      const addresses = there.flatMap(
        ({ timeline }) => timeline.at(world.clock.now())?.peer_vpc_id ?? [],
      );
      // A peering whose request had no answer has no owner, and stays. No address has two peerings.
      const isAsWanted =
        addresses.includes(peering.peerVpcId) && new Set(addresses).size === addresses.length;
      if (!isAsWanted) problems.push(`${name} has the peerings ${addresses.join(', ')}`);
      continue;
    }
    const secret = await world.secret(secretNameOf(name, object));
    passwords.set(id, secret?.['password']);
    if (kindOf[name] === 'replicaSet') parents.push(id, object?.status?.serviceId ?? '');
    if (
      kindOf[name] === 'service' &&
      secret?.['password'] !== project.stores.service.get(id)?.password
    )
      problems.push(`the password of ${name} does not work`);
  }
  // A replica set whose service was kept stays on that service.
  const [set = '', parent = ''] = parents;
  if (passwords.has(parent) && passwords.get(set) !== passwords.get(parent))
    problems.push('the password of reads is not that of orders');
  for (const { content, data } of await entriesOf(world)) {
    // Only services have own passwords.
    const password =
      content?.object.kind === 'ManagedService' && content.id !== undefined
        ? passwords.get(content.id)
        : undefined;
    if (password !== undefined && data['password'] !== password)
      problems.push(`the ledger has another password of ${content?.id}`);
  }
  return problems;
}

/** The problems once every object is deleted. */
export async function problemsInTheEnd(scene: Scene): Promise<readonly string[]> {
  const { life, people, world, allowed } = scene;
  const problems = [...(await problemsAnytime(scene))];
  for (const name of life.cast) {
    const alive = aliveOf(world, name);
    if (alive.length > 0) problems.push(`${name} is left in the cloud ${alive.length} times`);
  }
  for (const { metadata } of await people.secrets()) {
    if (metadata.finalizers?.some((each) => each.startsWith('managed-db.io/')))
      problems.push(`Secret ${metadata.name} is held for ever`);
  }
  for (const { metadata, content } of await entriesOf(world)) {
    if (!allowed.keptEntries.has(content?.object.uid ?? ''))
      problems.push(`ledger entry ${metadata.name} is left, about ${content?.id}`);
  }
  return problems;
}

async function problemsAnytime({
  world,
  crew,
  bystanders,
  allowed,
  people,
  life,
}: Scene): Promise<readonly string[]> {
  const { project } = world;
  const problems: string[] = [];
  for (const id of bystanders) {
    const touched = crew.changes().filter(({ isCloud, path }) => isCloud && path.includes(id));
    if (touched.length > 0)
      problems.push(
        `somebody else's ${id} was touched: ${touched.map(({ name }) => name).join(', ')}`,
      );
    if (project.everCreated.find((each) => each.id === id)?.deletedAt !== undefined)
      problems.push(`somebody else's ${id} is gone`);
  }
  const said = [
    ...world.log,
    JSON.stringify(await events(world)),
    JSON.stringify(await Promise.all(life.cast.map((name) => people.get(name)))),
  ].join('\n');
  for (const { password } of project.stores.service.values()) allowed.passwords.add(password);
  for (const password of [...allowed.passwords, project.apiKey]) {
    if (said.includes(password))
      problems.push('a password or a key can be read in the log, a status or an event');
  }
  return problems;
}

function isOf({ kind, name }: Created, wanted: Name): boolean {
  return kind === kindOf[wanted] && (name ?? '').startsWith(`${wanted}-`);
}

/** The ids of an object's resources in the cloud, found by the name that the object gives them. */
export function aliveOf({ project, clock }: World, name: Name): readonly string[] {
  return project.everCreated
    .filter((each) => isOf(each, name) && isAlive(each, clock))
    .map(({ id }) => id);
}

export function isAlive({ deletedAt }: Created, clock: Clock): boolean {
  return deletedAt === undefined || Date.parse(deletedAt) > clock.now();
}
