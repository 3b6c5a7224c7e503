import { connectionAnnotations } from '../../../src/resources/connection-secret.ts';
import { resourceHash } from '../../../src/reconcile/ledger/entry.ts';
import { letPass } from '../../support/let-pass.ts';
import { worldTypes } from '../../support/world.ts';
import { advise } from './advice.ts';
import { add } from './allowance.ts';
import { kindOf, restingSpecs, specIn, type Name } from './life.ts';
import { aliveOf } from './oracle.ts';
import { isReady, syncedOf, type AnyObject } from './people.ts';
import type { Scene } from './scene.ts';
import { takeAway } from './take-away.ts';
import { remove } from './take-step.ts';

const pollMs = 70_000;
/** Real time: of a busy machine, too. A life that comes to rest does so in a tenth of it. */
const settledWithinMs = 180_000;

/** Ends all harm and sets feasible specs: every object must become Ready, if necessary by its messages. */
export async function settle(scene: Scene): Promise<void> {
  const { life, world, people: hands, crew: operators, allowed, tell } = scene;
  world.project.faults.clear();
  await operators.settle();
  await hands.renewKey(world.project.apiKey);
  await hands.putSecret('source', { password: `source-${life.seed}-last` });
  allowed.passwords.add(`source-${life.seed}-last`);
  const resting = (name: Name) =>
    specIn(life, name, {
      ...restingSpecs[name],
      ...(name === 'orders' && life.cast.includes('prod') ? { vpcRef: { name: 'prod' } } : {}),
    });
  const deadline = performance.now() + settledWithinMs;
  const advised = new Set<string>();
  const rested = new Map<Name, string>();
  let readySince = world.clock.now();
  for (;;) {
    const objects = new Map<Name, AnyObject | undefined>();
    for (const name of life.cast) objects.set(name, await hands.get(name));
    const isAtRest = [...objects.values()].every(isReady) && rested.size === life.cast.length;
    // A lagging list shows the rest in its next poll.
    if (!isAtRest) readySince = world.clock.now();
    else if (world.clock.now() - readySince > pollMs) return;
    const isGoing = (name: Name) => objects.get(name)?.metadata.deletionTimestamp !== undefined;
    for (const [name, object] of objects) {
      if (!object) {
        if ((name === 'orders' && isGoing('prod')) || (name === 'reads' && isGoing('orders')))
          continue;
        add(allowed.asked, name);
        tell(`${name} is applied: ${await hands.create(name, resting(name))}`);
      } else if (rested.get(name) !== object.metadata.uid) {
        // A VPC in deletion waits until its services detach.
        const spec = resting(name);
        const { vpcRef: _detached, ...detached } = spec;
        const told = await hands.rest(name, name === 'orders' && isGoing('prod') ? detached : spec);
        tell(`${name} is put to rest: ${told}`);
        if (told === 'done' && !(name === 'orders' && isGoing('prod')))
          rested.set(name, object.metadata.uid);
      }
      if (name === 'reads' && isGoing('orders') && object && !isGoing('reads'))
        tell(`reads go with orders: ${await remove(scene, 'reads', false)}`);
      if (object && rested.get(name) === object.metadata.uid)
        await advise(scene, name, object, advised);
    }
    if (performance.now() > deadline) {
      const there = [...objects.values()].filter((object) => object !== undefined);
      throw new Error(`not ready: ${there.map(described).join('; ')}`);
    }
    await letPass(world, 3_000);
  }
}

/** Deletes every object, and waits until they are gone. */
export async function removeAll(scene: Scene): Promise<void> {
  const { life, world, people: hands, tell } = scene;
  for (const name of life.cast) tell(`${name} is deleted: ${await remove(scene, name, false)}`);
  const deadline = performance.now() + settledWithinMs;
  for (;;) {
    const found = await Promise.all(life.cast.map((name) => hands.get(name)));
    const left = found.filter((object) => object !== undefined);
    await dropLeft(scene, left);
    if (left.length === 0) return;
    if (performance.now() > deadline)
      throw new Error(`not gone: ${left.map(described).join('; ')}`);
    await letPass(world, 3_000);
  }
}

/**
 * People remove the resources that they kept, and the Secrets of these, unless an object still stands for the resource or for a resource that hangs on it.
 * A kept resource holds its parent.
 */
async function dropLeft(
  { life, world, people: hands, tell }: Scene,
  objects: readonly AnyObject[],
): Promise<void> {
  const needed = new Set(
    objects.flatMap(({ status }) => [status?.id, status?.serviceId, status?.vpcId]),
  );
  for (const name of life.cast) {
    for (const id of aliveOf(world, name)) {
      if (needed.has(id)) continue;
      tell(`${id}, which was left of ${name}, is removed`);
      takeAway(world, id);
      const hash = resourceHash(worldTypes[kindOf[name]].kind, world.project.id, id);
      for (const { metadata } of await hands.secrets()) {
        if (metadata.annotations?.[connectionAnnotations.resource] !== hash) continue;
        tell(
          `Secret ${metadata.name} of ${id} is deleted: ${await hands.harmSecret(metadata.name, 'delete', '')}`,
        );
      }
    }
  }
}

function described(object: AnyObject): string {
  const { reason, message } = syncedOf(object) ?? {};
  return `${object.metadata.name}${object.metadata.deletionTimestamp ? ' (being deleted)' : ''}: ${reason}, "${message}"`;
}
