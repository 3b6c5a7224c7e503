import { managedServices } from './managed-service.ts';
import { managedVpcs } from './managed-vpc.ts';
import { replicaSets } from './replica-set.ts';
import type { Definition } from './schema/definition.ts';

/** The list of kinds. Each kind also needs a reconciler in reconcile/kinds/all.ts; otherwise the code does not compile. */
const listed = {
  ManagedVpc: managedVpcs,
  ManagedService: managedServices,
  ReplicaSet: replicaSets,
};

export type Kind = keyof typeof listed;
export type ObjectOf<K extends Kind> = ReturnType<(typeof listed)[K]['parse']>;
export type ManagedObject = { readonly [K in Kind]: ObjectOf<K> }[Kind];

/** The parent of a kind: the cloud lists, reads and deletes a resource of the kind only below a resource of its parent. */
export interface Parent<K extends Kind = Kind> {
  readonly kind: Kind;
  /** The field of a ledger entry with the id of the parent resource. Without it, no entry about a resource is readable. */
  readonly recordedAs: 'parentServiceId';
  /** The id of the parent resource in the status, which stays after the spec no longer names the parent. */
  shownId(object: ObjectOf<K>): string | undefined;
}

export interface ManagedType<K extends Kind = Kind> {
  readonly group: string;
  readonly version: string;
  /** In API paths and in kubectl commands. */
  readonly plural: string;
  readonly kind: K;
  readonly finalizer: string;
  /** Its CRD, beside the names above. */
  readonly described: Omit<Definition, 'kind' | 'plural'>;
  parse(value: unknown): ObjectOf<K>;
  /** The references of the spec: an object of the same namespace by its name, or a resource by its id. */
  references(object: ObjectOf<K>): readonly {
    readonly kind: Kind;
    readonly name: string | undefined;
    readonly id: string | undefined;
  }[];
  /** Undefined for a kind whose resources the project itself lists. */
  readonly parent: Parent<K> | undefined;
  /** The environment that the cloud showed last. Undefined without a reply, and for a kind without environments. */
  shownEnvironment(object: ObjectOf<K>): string | undefined;
  /** The name of the user's Secret from which the spec takes a password. */
  passwordSecret(object: ObjectOf<K>): string | undefined;
}

export const resourceTypes: { readonly [K in Kind]: ManagedType<K> } = listed;

/** In the order in which they are shown. */
export const kinds: readonly Kind[] = Object.values(resourceTypes).map(({ kind }) => kind);

export function typeOf({ kind }: { readonly kind: Kind }): ManagedType {
  return resourceTypes[kind];
}

export function isKind(text: string | undefined): text is Kind {
  return kinds.some((kind) => kind === text);
}

/** Makes a value for each kind, at once. */
export function perKind<T>(make: (kind: Kind) => T): (kind: Kind) => T {
  const made = new Map(kinds.map((kind) => [kind, make(kind)]));
  return (kind) => made.get(kind) ?? make(kind);
}

type HeldChange = NonNullable<
  NonNullable<ObjectOf<'ManagedService'>['status']>['heldChanges']
>[number];

/** The changes that rules of users held at the last visit. */
export function heldChangesOf({
  status,
}: {
  readonly status?: ManagedObject['status'] | undefined;
}): readonly HeldChange[] {
  return (status && 'heldChanges' in status ? status.heldChanges : undefined) ?? [];
}
