import type { ResourceKey } from '../runtime/index.ts';
import type { ManagedObject } from './situation.ts';

/** An object as whoever wakes it knows it: `ManagedService:shop/orders`. */
export type User = string & { readonly __brand: 'User' };

export function userOf(kind: string, key: ResourceKey): User {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the one place where it is made
  return `${kind}:${key}` as User;
}

const kinds: readonly ManagedObject['kind'][] = ['ManagedVpc', 'ManagedService', 'ReplicaSet'];

export function partsOf(user: User): { readonly kind: ManagedObject['kind']; readonly key: ResourceKey } | undefined {
  const colon = user.indexOf(':');
  const kind = kinds.find((known) => known === user.slice(0, colon));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it was made of one
  return kind && { kind, key: user.slice(colon + 1) as ResourceKey };
}
