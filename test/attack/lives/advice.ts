import { letPass } from '../../support/let-pass.ts';
import { add, keep } from './allowance.ts';
import { kindOf, type Name } from './life.ts';
import { isAlive } from './oracle.ts';
import type { Scene } from './scene.ts';
import { syncedOf, secretNameOf, type AnyObject } from './people.ts';
import { takeAway } from './take-away.ts';

/** How long an object may report a removed peering as failed. */
const goneWithinMs = 120_000;
/** How long a resource that is there may be called Lost: at rest a list is asked for once a minute. */
const seenAgainWithinMs = 70_000;

/** Follows the instruction in an object's message, once for each message. */
export async function advise(
  scene: Scene,
  name: Name,
  object: AnyObject,
  done: Set<string>,
): Promise<void> {
  const { people: hands, tell, allowed, world } = scene;
  const ready = syncedOf(object);
  if (!ready || ready.observedGeneration !== object.metadata.generation) return;
  const advice = `${name} ${object.metadata.uid} ${ready.reason} ${ready.message}`;
  if (done.has(advice)) return;
  done.add(advice);
  switch (ready.reason) {
    case 'Lost': {
      const id = valueIn(ready.message, 'allow-recreate') ?? '';
      const isThere = world.project.everCreated.some(
        (each) => each.id === id && each.deletedAt === undefined,
      );
      if (isThere) {
        tell(`${name} is called Lost and is not`);
        const deadline = world.clock.now() + seenAgainWithinMs;
        const isStillLost = async () => syncedOf(await hands.get(name))?.message === ready.message;
        while ((await isStillLost()) && world.clock.now() < deadline) await letPass(world, 2_000);
        if (await isStillLost())
          throw new Error(`${name} is called Lost for ${seenAgainWithinMs} ms, and ${id} is there`);
        return;
      }
      add(allowed.asked, name);
      tell(
        `${name} is lost, and may be made again: ${await hands.annotate(name, { 'managed-db.io/allow-recreate': id })}`,
      );
      return;
    }
    case 'NotBound': {
      const left = valueIn(ready.message, 'create-anyway');
      const isThere = world.project.everCreated.some(
        (each) => each.id === left && isAlive(each, world.clock),
      );
      // The message names no id where only the annotation from a backup says that there was a resource.
      const answer =
        left === undefined
          ? { 'managed-db.io/ledger': null }
          : { [`managed-db.io/${isThere ? 'external-id' : 'create-anyway'}`]: left };
      if (!isThere) add(allowed.asked, name);
      tell(`"${ready.message}": ${JSON.stringify(answer)}: ${await hands.annotate(name, answer)}`);
      return;
    }
    case 'NotAllowed': {
      const others = valueIn(ready.message, 'create-anyway') ?? 'true';
      add(allowed.asked, name);
      add(allowed.left, name);
      const answer = { 'managed-db.io/external-id': null, 'managed-db.io/create-anyway': others };
      tell(`"${ready.message}": another is made: ${await hands.annotate(name, answer)}`);
      return;
    }
    case 'SecretConflict': {
      const secret = /Secret "(\S+)"/u.exec(ready.message)?.[1] ?? secretNameOf(name, object);
      tell(
        `"${ready.message}": Secret ${secret} is deleted: ${await hands.harmSecret(secret, 'delete', '')}`,
      );
      return;
    }
    case 'WaitingForCredentials':
      tell(`"${ready.message}": ${await hands.renewKey(world.project.apiKey)}`);
      return;
    case 'AmbiguousCreate': {
      const ids = valueIn(ready.message, 'create-anyway')?.split(',') ?? [];
      const mine = ids.find((id) => !scene.bystanders.includes(id)) ?? '';
      tell(
        `${name} is ambiguous, ${mine} is taken: ${await hands.annotate(name, { 'managed-db.io/external-id': mine })}`,
      );
      return;
    }
    case 'SameNameExists':
      tell(
        `${name} has a name that is taken, another is made: ${await hands.annotate(name, { 'managed-db.io/create-anyway': 'true' })}`,
      );
      return;
    case 'NotApplied':
      // Any edit asks for it again.
      tell(
        `"${ready.message}": asked for again: ${await hands.edit(name, { deletionPolicy: 'Delete' })}`,
      );
      return;
    case 'Available':
      // A service that was adopted without a known password.
      if (ready.message.includes('without a password'))
        tell(
          `"${ready.message}": ${await hands.edit(name, { password: { rotation: `told-${Math.round(world.clock.now())}` } })}`,
        );
      return;
    case 'DeletionBlocked': {
      const [, id] = /(\S+) \(no object\)/u.exec(ready.message) ?? [];
      if (id === undefined) return;
      // The message names two ways: remove the kept resource, or keep its parent, too.
      if (kindOf[name] === 'service') {
        tell(`"${ready.message}": it is removed from the cloud`);
        takeAway(world, id);
        return;
      }
      keep(allowed, name, object);
      tell(
        `"${ready.message}": ${name} is kept, too: ${await hands.edit(name, { deletionPolicy: 'Retain' }, true)}`,
      );
      return;
    }
    case 'PeeringFailed': {
      const { peerings } = object.spec;
      tell(`"${ready.message}": taken out: ${await hands.edit(name, { peerings: null })}`);
      const deadline = world.clock.now() + goneWithinMs;
      while (
        syncedOf(await hands.get(name))?.reason === 'PeeringFailed' &&
        world.clock.now() < deadline
      )
        await letPass(world, 2_000);
      tell(`and put back: ${await hands.edit(name, { peerings })}`);
      return;
    }
    default:
  }
}

/** The value of an annotation in a command of a message: `true`, or ids with commas between. A message may go on behind it, after `;` or `,`. */
function valueIn(
  message: string,
  annotation: 'allow-recreate' | 'create-anyway',
): string | undefined {
  return new RegExp(`managed-db\\.io/${annotation}=([\\w-]+(?:,[\\w-]+)*)`, 'u').exec(message)?.[1];
}
