import * as z from 'zod';

/** The closed list of reasons, in conditions and events. */
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
  'WaitingForCloud',
  'RateLimited',
  'CloudUnavailable',
  'UnexpectedReply',
  'InternalError',
  'NotConverging',
  'Deleting',
  'DeletionBlocked',
  'DeletionProtected',
] as const;
const stalledReasons = [
  'Rejected',
  'Unauthorized',
  'ForeignProject',
  'Lost',
  'AmbiguousCreate',
  'SameNameExists',
  'AdoptionFailed',
  'OwnedByAnother',
  'OwnedElsewhere',
  'RecordConflict',
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
  any: ['Suspended'],
  unknown: ['Pending'],
  /** In events only: there is no object left to have a condition. */
  gone: ['Abandoned'],
} as const;

export type ReadyReason = (typeof readyReasons)[number];
export type ReconcilingReason = (typeof reconcilingReasons)[number];
export type StalledReason = (typeof stalledReasons)[number];

/** A condition as the API server takes it. `lastTransitionTime` is RFC 3339 and changes with `status` alone. */
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
/** What the API server says of an object that no operator has seen: whoever waits for Ready waits. */
export const unseenConditions: readonly Condition[] = [
  { type: 'Ready', status: 'Unknown', ...unseen },
  { type: 'Reconciling', status: 'True', ...unseen },
];

/** Whether a condition is the API server's, not the operator's: its time says nothing, no schema knows when an object is made. */
export function isUnseen({ lastTransitionTime }: Condition): boolean {
  return lastTransitionTime === unseen.lastTransitionTime;
}

/** The condition that says how an object is; undefined while nobody has looked at it. */
export function readyOf({
  status,
}: {
  readonly status?: { readonly conditions?: readonly Condition[] | undefined } | undefined;
}): Condition | undefined {
  return status?.conditions?.find(({ type }) => type === 'Ready');
}
