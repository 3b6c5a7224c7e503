import type { ManagedService } from '../../resources/managed-service.ts';
import type { ReplicaSet } from '../../resources/replica-set.ts';

/** The name of an object's connection Secret, unless its spec says another. */
export function defaultSecretName({ kind, metadata }: ManagedService | ReplicaSet): string {
  return kind === 'ManagedService' ? `${metadata.name}-db` : `${metadata.name}-replicas-db`;
}

/** The name that an object wants its connection Secret to have. Until it is moved, the record may name another. */
export function wantedSecretName(object: ManagedService | ReplicaSet): string {
  return object.spec.connectionSecret?.name ?? defaultSecretName(object);
}
