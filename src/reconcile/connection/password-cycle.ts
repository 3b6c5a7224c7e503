import type { ManagedService } from '../../resources/managed-service.ts';
import { resourceKey } from '../../runtime/index.ts';
import type { Caches } from '../process/context.ts';
import { connectionAnnotations } from '../../resources/connection-secret.ts';
import { ownerText } from './ownership.ts';
import { pendingName, wantedSecretName } from './secret-name.ts';

/**
 * Services that take their passwords from each other, beginning with this one; undefined if `spec.password.secretRef` makes no cycle. In a cycle, each new
 * password causes the next one, forever.
 * @param ownSecret the object's present connection Secret
 */
export function passwordCycle(object: ManagedService, ownSecret: string, caches: Caches): readonly string[] | undefined {
  const own = [ownSecret, wantedSecretName(object)].flatMap((name) => [name, pendingName(name)]);
  if (own.includes(object.spec.password?.secretRef?.name ?? '')) return [ownerText(object)];
  const way: ManagedService[] = [object];
  for (;;) {
    const next = sourceOf(way.at(-1), caches);
    if (!next) return undefined;
    if (next.metadata.uid === object.metadata.uid) return way.map(ownerText);
    // It leads into a cycle of other services, and those report it.
    if (way.some(({ metadata }) => metadata.uid === next.metadata.uid)) return undefined;
    way.push(next);
  }
}

/** The service whose password is in the Secret that `object` refers to. The Secret of a replica set has the password of its service. */
function sourceOf(object: ManagedService | undefined, caches: Caches): ManagedService | undefined {
  const name = object?.spec.password?.secretRef?.name;
  if (!object || name === undefined) return undefined;
  const keyIn = (each: string) => resourceKey(object.metadata.namespace, each);
  const owner = caches.connectionSecrets.get(keyIn(name))?.metadata.annotations?.[connectionAnnotations.owner];
  const [kind, ownerName = ''] = owner?.split('/') ?? [];
  if (kind === 'ManagedService') return caches.of('ManagedService').get(keyIn(ownerName));
  const parent = kind === 'ReplicaSet' ? caches.of('ReplicaSet').get(keyIn(ownerName))?.spec.serviceRef?.name : undefined;
  return parent === undefined ? undefined : caches.of('ManagedService').get(keyIn(parent));
}
