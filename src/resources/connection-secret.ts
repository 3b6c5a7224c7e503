import * as z from 'zod';
import { everyObjects } from './metadata.ts';

/** Annotations on the Secrets of the operator. Owner references are not used: garbage collection would delete a Secret that must stay. */
export const connectionAnnotations = {
  /** The owner: `ManagedService/orders`. */
  owner: 'managed-db.io/owner',
  ownerUid: 'managed-db.io/owner-uid',
  attempt: 'managed-db.io/attempt',
  id: 'managed-db.io/id',
  projectId: 'managed-db.io/project-id',
  clusterUid: 'managed-db.io/cluster-uid',
  /**
   * Labels and annotations that the spec asked for: JSON, `{"labels":[…],"annotations":[…]}`. A name that leaves the spec is then removed from the Secret.
   */
  asked: 'managed-db.io/asked',
  /** `true` on a Secret with a pending password. */
  pending: 'managed-db.io/pending',
  /** The origin of the password. On a pending Secret: the origin of the next password. */
  passwordHandled: 'managed-db.io/password-handled',
  /**
   * `<salt>:<id> <HMAC-SHA-256>` of the password that the cloud is known to have for the resource of that id; one of an earlier build has no id. A different
   * password in the Secret was written by somebody else. On a pending Secret, without an id: of the text in the connection Secret when the password was chosen. A
   * different one there was written since.
   */
  passwordDigest: 'managed-db.io/password-digest',
  /** RFC 3339, policy time of a password call without an answer. The cloud may still carry it out for a while. */
  passwordUnansweredAt: 'managed-db.io/password-unanswered-at',
} as const;

export const connectionSecretType = 'servicebinding.io/postgresql';

export const secretShape = z.object({
  metadata: z.object({
    ...everyObjects,
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

/** The result of a dry run has no resourceVersion, so it does not parse as a whole Secret. */
export const contentOfSecrets = {
  ...secretsWithData,
  parse: (value: unknown): Pick<SecretWithData, 'data'> => ({ data: decode(secretShape.pick({ data: true }).parse(value).data ?? {}) }),
} as const;

function decode(data: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, Buffer.from(value, 'base64').toString('utf8')]));
}
