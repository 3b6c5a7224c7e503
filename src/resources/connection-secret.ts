import * as z from 'zod';

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
  /** Salted digest of the password that the cloud is known to have: another one in the Secret was written by somebody else. `<salt> <HMAC-SHA-256>` */
  passwordDigest: 'managed-db.io/password-digest',
  /** RFC 3339, policy time: a call that set the password was not answered then, and may still be carried out for a while. */
  passwordUnansweredAt: 'managed-db.io/password-unanswered-at',
} as const;

export const connectionSecretType = 'servicebinding.io/postgresql';

export const secretShape = z.object({
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
