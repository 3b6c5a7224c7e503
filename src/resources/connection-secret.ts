import * as z from 'zod';
import type { Kind, ManagedObject, ObjectOf } from './managed-object.ts';
import { everyObjects } from './stored-object.ts';

/** Annotations on connection Secrets. Owner references are not used: garbage collection would delete a Secret that must stay. */
export const connectionAnnotations = {
  /** The owner: `ManagedService/orders`. */
  owner: 'managed-db.io/owner',
  ownerUid: 'managed-db.io/owner-uid',
  /** The hash of kind, project and id of the resource. */
  resource: 'managed-db.io/resource',
  /** The name of this Secret: a copy under another name is foreign. */
  name: 'managed-db.io/secret-name',
  /** A digest of the inputs of the Secret, without the password. */
  inputs: 'managed-db.io/inputs',
  /** The number of the password in the ledger entry. */
  passwordNumber: 'managed-db.io/password-number',
} as const;

export const connectionSecretType = 'servicebinding.io/postgresql';

export const secretShape = z.object({
  metadata: z.object({
    ...everyObjects,
    /** The reply to a create in a dry run has none. */
    resourceVersion: z.string().default(''),
    generation: z.number().optional(),
    creationTimestamp: z.string().optional(),
    deletionTimestamp: z.string().optional(),
    labels: z.record(z.string(), z.string()).optional(),
    annotations: z.record(z.string(), z.string()).optional(),
    finalizers: z.array(z.string()).readonly().optional(),
  }),
  type: z.string().optional(),
  data: z.record(z.string(), z.string()).optional(),
});

/** A Secret with its content decoded. It is read on demand and not cached. */
export interface SecretWithData {
  readonly metadata: z.infer<typeof secretShape>['metadata'];
  readonly type: string | undefined;
  readonly data: Readonly<Record<string, string>>;
}

export const secretsWithData = {
  group: '',
  version: 'v1',
  plural: 'secrets',
  kind: 'Secret',
  parse(value: unknown): SecretWithData {
    const { metadata, type, data } = secretShape.parse(value);
    return { metadata, type, data: decode(data ?? {}) };
  },
} as const;

function decode(data: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, Buffer.from(value, 'base64').toString('utf8')]));
}

/** An object with a connection Secret: its kind has the field for it in the spec. */
export type Connected = { readonly [K in Kind]: 'connectionSecret' extends keyof ObjectOf<K>['spec'] ? ObjectOf<K> : never }[Kind];

const suffixes: Readonly<Record<Connected['kind'], string>> = { ManagedService: '-db', ReplicaSet: '-replicas-db' };

export function isConnected(object: ManagedObject): object is Connected {
  return object.kind in suffixes;
}

export function secretNameOf({ kind, metadata, spec }: Connected): string {
  return spec.connectionSecret?.name ?? `${metadata.name}${suffixes[kind]}`;
}
