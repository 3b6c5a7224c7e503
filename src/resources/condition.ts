import * as z from 'zod';

const readyReasons = ['Available', 'Stopped', 'Observed'] as const;
const reconcilingReasons = [
  'Creating',
  'ResolvingCreate',
  'Adopting',
  'Resizing',
  'Starting',
  'Stopping',
  'ConfiguringHighAvailability',
  'SettingEnvironment',
  'ConfiguringPooler',
  'AttachingVpc',
  'DetachingVpc',
  'Renaming',
  'PeeringPending',
  'RotatingPassword',
  'WaitingForReference',
  'WaitingForCredentials',
  'WaitingForLedger',
  'WaitingForCloud',
  'RateLimited',
  'CloudUnavailable',
  'UnexpectedReply',
  'InternalError',
  'NotConverging',
  'Deleting',
] as const;
/** A change is held: the resource serves, the operator does nothing, and no alarm is due. */
const heldReasons = ['WaitingForWindow', 'WaitingForApproval'] as const;
const stalledReasons = [
  'ReferenceBlocked',
  'DeletionBlocked',
  'DeletionProtected',
  'Rejected',
  'Unauthorized',
  'ForeignProject',
  'Lost',
  'AmbiguousCreate',
  'SameNameExists',
  'AdoptionFailed',
  'OwnedByAnother',
  'OwnedElsewhere',
  'NotBound',
  'NotAllowed',
  'NotApplied',
  'SecretConflict',
  'PeeringFailed',
  'CloudError',
] as const;

export const reasons = {
  ready: readyReasons,
  reconciling: reconcilingReasons,
  stalled: stalledReasons,
  held: heldReasons,
  any: ['Suspended'],
  unknown: ['Pending'],
  /** Only in events: the object no longer exists, so it has no conditions. */
  gone: ['Retained', 'Abandoned'],
} as const;

export type ReadyReason = (typeof readyReasons)[number];
export type ReconcilingReason = (typeof reconcilingReasons)[number];
export type HeldReason = (typeof heldReasons)[number];
export type StalledReason = (typeof stalledReasons)[number];

/** A condition as the API server accepts it. `lastTransitionTime` is RFC 3339, and changes only with `status`. */
export const condition = z.object({
  type: z.string(),
  status: z.enum(['True', 'False', 'Unknown']),
  reason: z.string(),
  message: z.string(),
  lastTransitionTime: z.string(),
  observedGeneration: z.number().optional(),
});
export type Condition = z.infer<typeof condition>;

const unseen = {
  reason: 'Pending',
  message: 'waiting for the operator to look at it',
  lastTransitionTime: '1970-01-01T00:00:00Z',
  observedGeneration: 0,
};
/** The default conditions of a new object that no operator has seen. A client that waits for Ready keeps waiting. */
export const unseenConditions: readonly Condition[] = [
  { type: 'Ready', status: 'Unknown', ...unseen },
  { type: 'Synced', status: 'Unknown', ...unseen },
  { type: 'Reconciling', status: 'True', ...unseen },
];

/** Whether the API server set this condition as a default. Its time has no meaning: a default cannot contain the current time. */
export function isUnseen({ lastTransitionTime }: Condition): boolean {
  return lastTransitionTime === unseen.lastTransitionTime;
}

interface WithConditions {
  readonly status?: { readonly conditions?: readonly Condition[] | undefined } | undefined;
}

/** The Ready condition: whether an app can connect, or a service is stopped as the spec asks. Undefined before the first status. */
export function readyOf({ status }: WithConditions): Condition | undefined {
  return status?.conditions?.find(({ type }) => type === 'Ready');
}

export function servingOf(object: WithConditions): Condition | undefined {
  const ready = readyOf(object);
  return ready?.status === 'True' ? ready : undefined;
}

/** The Synced condition: whether the spec is applied, and otherwise the reason. Undefined before the first status. */
export function syncedOf({ status }: WithConditions): Condition | undefined {
  return status?.conditions?.find(({ type }) => type === 'Synced');
}

/** A reason of the Synced condition. */
export type Reason =
  | ReadyReason
  | ReconcilingReason
  | StalledReason
  | HeldReason
  | (typeof reasons)['any' | 'unknown'][number];

/** Meanings that several reasons share, and on which decisions depend. A reason may have several meanings. */
const meanings = {
  /** Something is wrong, though the operator retries by itself: its event is a warning. */
  trouble: ['CloudUnavailable', 'UnexpectedReply', 'InternalError', 'NotConverging'],
  /** The operator retries by itself, but in vain until a person has acted. */
  retriedInVain: ['WaitingForCredentials', 'WaitingForLedger', 'InternalError', 'NotConverging'],
  /** The API key is missing, unsuitable or of another project: the cloud shows nothing of the object. */
  withoutKey: ['WaitingForCredentials', 'Unauthorized', 'ForeignProject'],
  /** The message names the same problem of the API key for each object with this key. */
  sharedKey: ['WaitingForCredentials', 'Unauthorized'],
  /** The cause is the same for all objects with the reason, although their messages may differ. */
  sharedCause: ['CloudUnavailable', 'RateLimited', 'Pending', 'WaitingForApproval'],
  /** The ownership of the resource in status is in dispute. */
  disputed: ['NotBound', 'OwnedElsewhere', 'OwnedByAnother'],
  /** The operator leaves the resource as it is, as the spec or a setting of the operator asks. */
  leftAsItIs: ['Observed', 'Stopped'],
} as const satisfies Readonly<Record<string, readonly Reason[]>>;

/** Whether a reason has the meaning. A new reason gets its meanings in the table above. */
export function means(reason: string | undefined, meaning: keyof typeof meanings): boolean {
  return meanings[meaning].some((each) => each === reason);
}

/** Whether the reason is one of `wanted`. A renamed reason does not compile where a decision depends on it. */
export function isReason(reason: string | undefined, ...wanted: readonly Reason[]): boolean {
  return wanted.some((each) => each === reason);
}

/** Whether Synced has one of these reasons, as of the last status. */
export function hasReason(object: WithConditions, ...wanted: readonly Reason[]): boolean {
  return isReason(syncedOf(object)?.reason, ...wanted);
}

/** Whether rules of users hold the remaining changes, as of the last status. */
export function isHeld(object: WithConditions): boolean {
  return hasReason(object, ...heldReasons);
}

/** The reason of Synced if a person must act, as of the last status. Undefined for a suspended object. */
export function stalledReasonOf(object: WithConditions): StalledReason | undefined {
  const reason = syncedOf(object)?.reason;
  return stalledReasons.find((each) => each === reason);
}

const asking: ReadonlySet<string> = new Set([...stalledReasons, 'Suspended']);

/** Whether the status names the next action of a person. */
export function asksPerson(object: WithConditions): boolean {
  return asking.has(syncedOf(object)?.reason ?? '');
}
