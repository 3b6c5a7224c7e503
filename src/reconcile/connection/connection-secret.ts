import { createHmac, randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import type { ResourceType } from '../../runtime/kubernetes-object.ts';
import { connectionData, connectionIn, isSecretKey } from './connection-data.ts';

/** Annotations on the Secrets that the operator makes. An owner reference would take the Secret along when it must stay. */
export const connectionAnnotations = {
  /** `ManagedService/orders` */
  owner: 'managed-db.io/owner',
  ownerUid: 'managed-db.io/owner-uid',
  attempt: 'managed-db.io/attempt',
  id: 'managed-db.io/id',
  projectId: 'managed-db.io/project-id',
  clusterUid: 'managed-db.io/cluster-uid',
  /** Which labels and annotations the user asked for, so that one that leaves the spec leaves the Secret: JSON, `{"labels":[…],"annotations":[…]}`. */
  asked: 'managed-db.io/asked',
  /** `true` on a Secret that holds a password on its way. */
  pending: 'managed-db.io/pending',
  /** On the connection Secret: where its password came from. On the pending one: where the next comes from. */
  passwordHandled: 'managed-db.io/password-handled',
  /** RFC 3339, policy time: a call that set the password was not answered then, and may still be carried out for a while. */
  passwordUnansweredAt: 'managed-db.io/password-unanswered-at',
} as const;

export const connectionSecretType = 'servicebinding.io/postgresql';

const secret = z.object({
  metadata: z.object({
    name: z.string(),
    namespace: z.string(),
    uid: z.string(),
    resourceVersion: z.string(),
    generation: z.number().optional(),
    creationTimestamp: z.string().optional(),
    deletionTimestamp: z.string().optional(),
    labels: z.record(z.string(), z.string()).optional(),
    annotations: z.record(z.string(), z.string()).optional(),
    finalizers: z.array(z.string()).optional(),
  }),
  type: z.string().optional(),
  data: z.record(z.string(), z.string()).optional(),
});

/** A Secret as it is, with its content decoded. Read when it is needed, kept nowhere. */
export interface SecretWithData {
  readonly metadata: z.infer<typeof secret>['metadata'];
  readonly type: string | undefined;
  readonly data: Readonly<Record<string, string>>;
}

/** A Secret as the cache keeps it: without password and URIs. */
export interface ConnectionSecret {
  readonly metadata: z.infer<typeof secret>['metadata'];
  readonly type: string | undefined;
  /** The values that are no secret, by key. */
  readonly values: Readonly<Record<string, string>>;
  /** Tells whether two passwords are the same, to this process alone; undefined when there is none. */
  readonly passwordDigest: string | undefined;
  /** The URIs say what the other keys say. */
  readonly consistent: boolean;
}

const digestKey = randomBytes(32);

function digest(value: string): string {
  return createHmac('sha256', digestKey).update(value).digest('base64url');
}

export const secretsWithData: ResourceType<SecretWithData> = {
  group: '',
  version: 'v1',
  plural: 'secrets',
  kind: 'Secret',
  parse(value) {
    const { metadata, type, data } = secret.parse(value);
    return { metadata, type, data: decode(data ?? {}) };
  },
};

export const connectionSecrets: ResourceType<ConnectionSecret> = {
  ...secretsWithData,
  parse: (value) => withoutSecrets(secretsWithData.parse(value)),
};

export function withoutSecrets({ metadata, type, data }: SecretWithData): ConnectionSecret {
  const password = data['password'];
  return {
    metadata,
    type,
    values: Object.fromEntries(Object.entries(data).filter(([key]) => !isSecretKey(key))),
    passwordDigest: password === undefined || password === '' ? undefined : digest(password),
    consistent: isDeepStrictEqual(data, connectionData(connectionIn(data), password)),
  };
}

function decode(data: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, Buffer.from(value, 'base64').toString('utf8')]));
}
