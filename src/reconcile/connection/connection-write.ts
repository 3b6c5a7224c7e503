import type { ManagedService } from '../../resources/managed-service.ts';
import type { ReplicaSet } from '../../resources/replica-set.ts';
import type { ConnectionSecret, ObservedSecret, ProvenSecret } from '../situation/observed-secret.ts';
import type { Situation } from '../situation/situation.ts';
import { pendingName } from './secret-name.ts';
import type { Connection, ConnectionWrite, WantedSecret } from '../step/connection.ts';

/** The part of a situation with a connection Secret. */
export interface Connected extends Pick<Situation, 'identity' | 'record' | 'nextSecret'> {
  readonly object: ManagedService | ReplicaSet;
  readonly secret: ObservedSecret;
  readonly connection: Connection;
  /** Only for a replica set: the Secret of its service. */
  readonly parentSecret?: ConnectionSecret | undefined;
}

/** The wanted connection Secret. Pure. */
export function connectionWrite(situation: Connected): ConnectionWrite {
  const { connection, parentSecret } = situation;
  return { secret: wantedSecret(situation), connection, passwordFrom: parentSecret?.metadata.name };
}

/** A new pending Secret goes beside the wanted name already: that name is the way out where the place beside the present name is taken. */
export function wantedSecret({ object, secret, nextSecret, identity, record }: Omit<Connected, 'connection'>): WantedSecret {
  const { labels = {}, annotations = {} } = object.spec.connectionSecret ?? {};
  const id = identity.state === 'known' ? identity.id : undefined;
  return {
    name: secret.name,
    pendingName: (secret.pending ?? secret.outdated)?.metadata.name ?? pendingName(isPlace(nextSecret) ? nextSecret.name : secret.name),
    id,
    projectId: record.projectId,
    labels,
    annotations,
  };
}

function isPlace(secret: ObservedSecret | undefined): secret is ProvenSecret {
  return secret?.state === 'absent' || secret?.state === 'ours';
}
