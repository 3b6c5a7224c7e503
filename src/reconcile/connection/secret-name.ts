import type { ManagedService } from '../../resources/managed-service.ts';
import type { ReplicaSet } from '../../resources/replica-set.ts';

/** The name that an object wants its connection Secret to have. Until it is moved, the record may name another. */
export function wantedSecretName({ kind, metadata, spec }: ManagedService | ReplicaSet): string {
  return spec.connectionSecret?.name ?? (kind === 'ManagedService' ? `${metadata.name}-db` : `${metadata.name}-replicas-db`);
}

/** The Secret of a password on its way. */
export function pendingName(name: string): string {
  return `${name}-pending`;
}

const longestName = 253;
const dnsName = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/u;

/** Why Kubernetes takes no Secret of this name, or none for a password on its way beside it; undefined when it does. */
export function whyNoName(name: string): string | undefined {
  const { length } = pendingName(name);
  if (length > longestName)
    return `the name "${name}" for the connection Secret is too long: with "-pending" behind it, it has ${length} of at most ${longestName} characters`;
  return dnsName.test(name) ? undefined : `the name "${name}" for the connection Secret is none that Kubernetes takes`;
}
