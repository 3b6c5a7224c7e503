import type { ManagedService } from '../../resources/managed-service.ts';
import type { ReplicaSet } from '../../resources/replica-set.ts';

/** The name that an object wants its connection Secret to have. Until it is moved, the record may name another. */
export function wantedSecretName({ kind, metadata, spec }: ManagedService | ReplicaSet): string {
  return spec.connectionSecret?.name ?? (kind === 'ManagedService' ? `${metadata.name}-db` : `${metadata.name}-replicas-db`);
}
