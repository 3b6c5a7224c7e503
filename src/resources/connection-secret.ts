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
  /** The values that are text, in exactly the bytes of the Secret. */
  readonly data: Readonly<Record<string, string>>;
  /** The keys whose values are not UTF-8. */
  readonly notText: readonly string[];
}

export const secretsWithData = {
  group: '',
  version: 'v1',
  plural: 'secrets',
  kind: 'Secret',
  parse(value: unknown): SecretWithData {
    const { metadata, type, data } = secretShape.parse(value);
    return { metadata, type, ...decode(data ?? {}) };
  },
} as const;

function decode(data: Readonly<Record<string, string>>): Pick<SecretWithData, 'data' | 'notText'> {
  const values = Object.entries(data).map(([key, value]) => [key, textOf(value)] as const);
  return {
    data: Object.fromEntries(
      values.filter((each): each is readonly [string, string] => each[1] !== undefined),
    ),
    notText: values.flatMap(([key, text]) => (text === undefined ? [key] : [])),
  };
}

// A replaced byte would make another password, and so would a removed byte order mark.
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function textOf(base64: string): string | undefined {
  try {
    return utf8.decode(Buffer.from(base64, 'base64'));
  } catch {
    return undefined; // not UTF-8
  }
}

export type GivenValue =
  | { readonly state: 'absent' }
  | { readonly state: 'notText' }
  | { readonly state: 'text'; readonly text: string };

/** The value of a key in a user's Secret, without the line break at the end of a file. An empty value is absent. */
export function givenValue({ data, notText }: SecretWithData, key: string): GivenValue {
  if (notText.includes(key)) return { state: 'notText' };
  const text = data[key]?.replace(/\r?\n$/u, '');
  return text ? { state: 'text', text } : { state: 'absent' };
}

/** The API key in a user's Secret. Blanks around it are not part of it. */
export function apiKeyIn(secret: SecretWithData, name: string): GivenValue {
  const value = givenValue(secret, name);
  if (value.state !== 'text') return value;
  const text = value.text.trim();
  return text ? { state: 'text', text } : { state: 'absent' };
}

/** An object with a connection Secret: its kind has the field for it in the spec. */
export type Connected = {
  readonly [K in Kind]: 'connectionSecret' extends keyof ObjectOf<K>['spec'] ? ObjectOf<K> : never;
}[Kind];

const suffixes: Readonly<Record<Connected['kind'], string>> = {
  ManagedService: '-db',
  ReplicaSet: '-replicas-db',
};

export function isConnected(object: ManagedObject): object is Connected {
  return object.kind in suffixes;
}

export function secretNameOf({ kind, metadata, spec }: Connected): string {
  return spec.connectionSecret?.name ?? `${metadata.name}${suffixes[kind]}`;
}
