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
