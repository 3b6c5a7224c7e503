import { keyOf } from '../../runtime/index.ts';
import { connectionAnnotations } from '../../resources/connection-secret.ts';
import type { WatchedSecret } from '../../resources/watched-secret.ts';
import type { View } from '../process/context.ts';
import { recordOf } from '../process/known-record.ts';
import { identityOf } from '../situation/identity.ts';
import type { Identity } from '../situation/situation.ts';
import { aboutOf, isAbout, isOwnedBy, speaksFor } from './ownership.ts';
import { connectionNames, pendingName, type Connected } from './secret-name.ts';

/** Whether the Secret is the object's, has a name that the object may still use, and is about the object's resource: somebody who deletes it gets it made again. */
export function mayStillUse(owner: Connected, secret: WatchedSecret, { options, memory }: Pick<View, 'options' | 'memory'>): boolean {
  if (!isOwnedBy(secret, owner)) return false;
  const read = recordOf(owner, memory.known(owner.kind, keyOf(owner)));
  if (read.state === 'unreadable') return true;
  const record = read.state === 'read' ? read.record : {};
  const isPending = secret.metadata.annotations?.[connectionAnnotations.pending] === 'true';
  const isNamed = connectionNames(owner, record).some((name) => secret.metadata.name === (isPending ? pendingName(name) : name));
  const withoutSecret = identityOf(read, owner, undefined);
  // A pending password of the resource arrives, whatever name the connection has by now.
  if (!isNamed && !(isPending && withoutSecret.state === 'known')) return false;
  const identity: Identity =
    withoutSecret.state === 'none'
      ? identityOf(read, owner, {
          name: secret.metadata.name,
          id: secret.metadata.annotations?.[connectionAnnotations.id],
          projectId: undefined,
          clusterUid: undefined,
          attempt: secret.metadata.annotations?.[connectionAnnotations.attempt],
        })
      : withoutSecret;
  const isItsOwnWitness = identity.state === 'known' && identity.by === 'secret';
  if (isItsOwnWitness && !speaksFor(owner, secret)) return false;
  // With the operator's own key a Secret alone is no proof, and the object's message asks to delete it.
  if (isItsOwnWitness && owner.spec.credentialsRef === undefined && !options.sharedProjectAdoption) return false;
  return isAbout(secret, aboutOf({ identity, record }));
}
