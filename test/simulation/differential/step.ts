import type { JsonObject } from '../api-server/json.ts';

/** The kinds of the test, with their places in the API. */
export const types = {
  managedvpcs: { root: '/apis/managed-db.io/v1alpha1', kind: 'ManagedVpc' },
  managedservices: { root: '/apis/managed-db.io/v1alpha1', kind: 'ManagedService' },
  readreplicasets: { root: '/apis/managed-db.io/v1alpha1', kind: 'ReplicaSet' },
  secrets: { root: '/api/v1', kind: 'Secret' },
  events: { root: '/api/v1', kind: 'Event' },
  leases: { root: '/apis/coordination.k8s.io/v1', kind: 'Lease' },
} as const;
export type Plural = keyof typeof types;

export type User = 'admin' | 'operator' | 'tenant';

interface Asked {
  readonly plural: Plural;
  readonly user: User;
  readonly query: Readonly<Record<string, string>>;
  readonly accept: string;
}

/** A version of the object that the sequence saw earlier, and the parts of it that a request repeats. */
export interface Seen {
  /** 0 is the last version that was seen, 1 the version before. */
  readonly age: number;
  readonly parts: 'uid' | 'version' | 'uid and version' | 'whole';
}

/** A call about an object or a list. */
export interface CallStep extends Asked {
  readonly type: 'call';
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Undefined: a list. */
  readonly name: string | undefined;
  readonly subresource?: 'status';
  readonly contentType?: string;
  readonly body?: JsonObject | readonly JsonObject[];
  /** The other pages of a list are read before the next list of the kind, after other changes. Default: at once. */
  readonly rest?: 'later';
  readonly seen?: Seen;
}

/** A watch until the end of the sequence. */
export interface WatchStep extends Asked {
  readonly type: 'watch';
  /** Begin with the present objects, at the last or first list of the kind, or at a forgotten version. */
  readonly from: 'present' | 'list' | 'first list' | 'forgotten';
  /** A watch of all namespaces: only the lines about the namespace of the sequence count. */
  readonly isClusterWide: boolean;
}

/** Server-side apply. Other steps leave the spec and the labels of the objects `applied` alone: ownership is not compared. */
export const applyPatch = 'application/apply-patch+yaml';
export const applied = 'd';

/** A step of a sequence, as data: the same step runs on both servers. */
export type Step = CallStep | WatchStep;

/** A step on one line, for the report of a failure. */
export function described(step: Step): string {
  const { plural, user, query, type, ...rest } = step;
  const asked = new URLSearchParams(query).toString();
  const what = type === 'watch' ? `watch ${step.type}` : `${step.method} ${step.name ?? ''}`;
  return `${user}: ${what} ${plural} ${asked} ${JSON.stringify(rest)}`;
}
