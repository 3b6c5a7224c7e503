import { managedServices } from './managed-service.ts';
import { managedVpcs } from './managed-vpc.ts';
import { replicaSets } from './replica-set.ts';

/** The one list of kinds. Each has its reconciler in reconcile/kinds/all.ts; what is in one list alone does not compile. */
const listed = {
  ManagedVpc: managedVpcs,
  ManagedService: managedServices,
  ReplicaSet: replicaSets,
};

export type Kind = keyof typeof listed;
export type ObjectOf<K extends Kind> = ReturnType<(typeof listed)[K]['parse']>;
/** An object of any of our kinds. */
export type ManagedObject = { readonly [K in Kind]: ObjectOf<K> }[Kind];

/** A kind without its rules: where the API serves it, how a reply becomes an object, and what an object names. */
export interface ManagedType<K extends Kind = Kind> {
  readonly group: string;
  readonly version: string;
  /** The name in paths, and in commands. */
  readonly plural: string;
  readonly kind: K;
  parse(value: unknown): ObjectOf<K>;
  /** Objects of its namespace that the spec names. */
  references(object: ObjectOf<K>): readonly { readonly kind: Kind; readonly name: string | undefined }[];
  /** The user's Secret that the spec takes a password from. */
  passwordSecret(object: ObjectOf<K>): string | undefined;
  /** Id of the resource that this one hangs on, for a kind that the cloud lists by its parent; as status has it. */
  parentId(object: ObjectOf<K>): string | undefined;
}

export const resourceTypes: { readonly [K in Kind]: ManagedType<K> } = listed;

/** In the order in which they are shown. */
export const kinds: readonly Kind[] = Object.values(resourceTypes).map(({ kind }) => kind);

/** What is known of the kind of an object. */
export function typeOf({ kind }: { readonly kind: Kind }): ManagedType {
  return resourceTypes[kind];
}

export function isKind(text: string | undefined): text is Kind {
  return kinds.some((kind) => kind === text);
}

/** One of each, made at once. */
export function perKind<T>(make: (kind: Kind) => T): (kind: Kind) => T {
  const made = new Map(kinds.map((kind) => [kind, make(kind)]));
  return (kind) => made.get(kind) ?? make(kind);
}
