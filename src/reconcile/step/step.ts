import { printable } from '../../logging/printable.ts';
import { backOffMs } from '../../runtime/index.ts';
import type { ResourceRecord } from '../../resources/ledger-entry.ts';
import type { ReadyReason, ReconcilingReason, StalledReason } from '../../resources/condition.ts';
import type {
  IdsIn,
  Operation,
  projectOperations,
  Request,
  RequestOf,
} from '../../cloud/wire/all.ts';
import type { PeeringId } from '../../cloud/wire/peering.ts';
import type { ServiceId } from '../../cloud/wire/service.ts';
import type { VpcId } from '../../cloud/wire/vpc.ts';
import type { ConnectionWrite, PasswordSource } from './connection.ts';
import type { CallOptions, ProjectApi } from '../../cloud/cloud-api.ts';

/** The decision of a visit, with the message for the user. Plain data, so that rules stay pure and a plan can be printed. */
export type Step =
  /** At most a single change in the cloud, recorded before it is sent. */
  | {
      readonly type: 'call';
      readonly action: Action;
      readonly reason: ReconcilingReason;
      readonly message: string;
    }
  /** A change of the operator's data in Kubernetes; another visit follows at once. */
  | { readonly type: 'write'; readonly action: Action; readonly message: string }
  /** Something else must happen first; the next visit is then, or after `afterMs`. */
  | {
      readonly type: 'wait';
      readonly reason: ReconcilingReason;
      readonly message: string;
      readonly afterMs?: number;
      /** The cloud has been working since this policy time, so its state is polled. */
      readonly inProgressSince?: number;
    }
  /** Only a person can help; retried after `retryAfterMs`, or when spec or credentials change. */
  | {
      readonly type: 'stall';
      readonly reason: StalledReason;
      readonly message: string;
      readonly retryAfterMs?: number;
    }
  /** The resource is as wanted. `differs`: it is left as it is, though the spec differs; the message names the differences. */
  | {
      readonly type: 'done';
      readonly reason: ReadyReason;
      readonly message: string;
      readonly afterMs?: number;
      readonly differs?: boolean;
    }
  /** Nothing was learned: the status stays unchanged, and has the report only if that lasts. */
  | { readonly type: 'keep'; readonly delayedReport: WaitOrStall }
  | { readonly type: 'suspended'; readonly message: string }
  | {
      readonly type: 'release';
      readonly message: string;
      readonly released: {
        readonly id: string | undefined;
        readonly projectId: string | undefined;
        readonly fate: Fate;
      };
    };

/**
 * The fate of the resource of a released object.
 *
 * - `gone`: the absence is proven, or nothing was created; the operator deletes connection Secret and ledger entry, too
 * - `retained`: the resource stays, and its connection Secret and ledger entry with it
 * - `foreign`: another object owns it
 * - `abandoned`: the resource stays, against the spec; an event names it
 */
export type Fate = 'gone' | 'retained' | 'foreign' | 'abandoned';

export type Stall = Extract<Step, { type: 'stall' }>;
export type Keep = Extract<Step, { type: 'keep' }>;

export type WaitOrStall = Extract<Step, { type: 'wait' | 'stall' }>;

// Messages contain names of the cloud, so each is made printable where its step is made.

export function call(
  action: Action,
  { reason, message }: { reason: ReconcilingReason; message: string },
): Step {
  return { type: 'call', action, reason, message: printable(message) };
}

export function write(action: Action, message: string): Step {
  return { type: 'write', action, message: printable(message) };
}

export function wait(
  reason: ReconcilingReason,
  message: string,
  more: { afterMs?: number; inProgressSince?: number } = {},
): Extract<Step, { type: 'wait' }> {
  return { type: 'wait', reason, message: printable(message), ...more };
}

export function stall(reason: StalledReason, message: string, retryAfterMs?: number): Stall {
  return {
    type: 'stall',
    reason,
    message: printable(message),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  };
}

/** Stalls until a person acts, and looks once a minute: an action in the cloud wakes no object. */
export function askPerson(reason: StalledReason, message: string): Stall {
  return stall(reason, message, intervals.forPersonMs);
}

export function keep(delayedReport: WaitOrStall): Keep {
  return { type: 'keep', delayedReport };
}

/** A decided step on a single line, with everything that it does, for a log or a plan. Steps contain no secrets. */
export function describeStep(step: Step): string {
  if (step.type === 'keep')
    return `keep, and say once it has lasted: ${describeStep(step.delayedReport)}`;
  const { type, message, ...rest } = step;
  const { action, ...more } = { action: undefined, ...rest };
  const { type: name, ...data } = action ?? { type: '' };
  return [type, name, JSON.stringify({ message, ...more, ...data })]
    .filter((part) => part !== '')
    .join(' ');
}

type OperationWith<E extends Operation['effect']> = {
  [O in keyof ProjectApi]: (typeof projectOperations)[O]['effect'] extends E ? O : never;
}[keyof ProjectApi];

/** A password is not printable data, and the removal of a peering is recorded: both have own actions. */
export type ChangeOperation = Exclude<OperationWith<'change'>, 'updateServicePassword'>;
type DeleteOperation = Exclude<OperationWith<'delete'>, 'deletePeering'>;
export type CallOperation = ChangeOperation | DeleteOperation;

/** The ids of the operation, then its value, as in {@link ProjectApi} without the options. */
export type ArgumentsOf<O extends CallOperation> =
  Required<Parameters<ProjectApi[O]>> extends [...infer A extends unknown[], CallOptions]
    ? A
    : never;

/** A call about an existing resource. Sending it twice is safe, since it states the wanted value. */
export type CallOf<O extends CallOperation> = {
  [K in O]: { readonly operation: K; readonly args: ArgumentsOf<K> };
}[O];
export type CloudChange = CallOf<ChangeOperation>;
export type CloudDeletion = CallOf<DeleteOperation>;

/** A peering has no name, and an own action. */
export type CreateOperation = Exclude<OperationWith<'create'>, 'createPeering'>;

/** A parent, or the source of a fork. */
export type IdsOf<O extends CreateOperation> = Readonly<
  IdsIn<(typeof projectOperations)[O]['path']>
>;
/** The body without the name, which may contain part of the attempt's id. */
export type BodyOf<O extends CreateOperation> = Omit<
  RequestOf<(typeof projectOperations)[O]>,
  'name'
>;
export type Creation<O extends CreateOperation = CreateOperation> = {
  [K in O]: { readonly operation: K; readonly ids: IdsOf<K>; readonly body: BodyOf<K> };
}[O];

export interface AdoptAction {
  readonly type: 'adopt';
  readonly id: string;
  readonly record: ResourceRecord;
}

export interface CreateAction {
  readonly type: 'create';
  readonly creation: Creation;
  /** Chosen by the user (`given`), or generated from the object's name and the attempt's id (`ours`): then it is unique. */
  readonly name:
    | { readonly kind: 'given'; readonly name: string }
    | { readonly kind: 'ours'; readonly prefix: string };
  readonly sameNameIds: readonly string[];
  readonly record: ResourceRecord;
  readonly recordOnSuccess: Partial<ResourceRecord>;
  /** Undefined for a kind without passwords. */
  readonly firstPassword?: {
    readonly requested: string | undefined;
    readonly connection: Omit<ConnectionWrite, 'resource' | 'password'>;
  };
}

export interface RebindAction {
  readonly type: 'rebind';
  readonly entry: string;
}

/** `record` is written first, and says that the deletion was decided. Undefined if the record says so already. */
export type DeleteAction = {
  readonly type: 'delete';
  readonly id: string;
  readonly record: ResourceRecord | undefined;
  /** The cloud does not show it any more: this DELETE only makes sure of that. */
  readonly isUnshown: boolean;
  /** The report if this DELETE is accepted: an earlier DELETE, accepted or answered with 404, had no effect. */
  readonly inVain?: Stall | undefined;
} & CloudDeletion;

export interface ChangeAction {
  readonly type: 'change';
  readonly change: CloudChange;
  /** The values before and after, as text for people. */
  readonly from: string;
  readonly wanted: string;
  /** Such as `resize the service to 2000 millicores, 8 GB`, for the message `the cloud refused to …`. */
  readonly request: string;
  /** Such as `change spec.name`. */
  readonly remedy: string;
}

/** `record`: the present record; the request is added to it before the call. */
export interface CreatePeeringAction {
  readonly type: 'createPeering';
  readonly vpcId: VpcId;
  readonly key: string;
  readonly request: Request<'CreatePeering'>;
  readonly record: ResourceRecord;
}

export interface DeletePeeringAction {
  readonly type: 'deletePeering';
  readonly vpcId: VpcId;
  readonly id: PeeringId;
  readonly inVain?: Stall | undefined;
}

export interface DropEntriesAction {
  readonly type: 'dropEntries';
  readonly names: readonly string[];
}

export interface StoreConnectionAction {
  readonly type: 'storeConnection';
  readonly write: ConnectionWrite;
  /** Another client changed the content of the Secret. */
  readonly isEdited: boolean;
}

export interface DropConnectionsAction {
  readonly type: 'dropConnections';
  readonly write: ConnectionWrite;
  readonly names: readonly string[];
}

export interface SetPasswordAction {
  readonly type: 'setPassword';
  readonly id: ServiceId;
  /** The request that this password answers. */
  readonly origin: string;
  /** Undefined: the operator generates a password. */
  readonly source: PasswordSource | undefined;
  /** A password in flight gives way: the cloud refused it, and an earlier call can no longer arrive. */
  readonly supersedes: boolean;
  /** Policy time of the last password call without an answer. */
  readonly unansweredAt?: number | undefined;
  readonly write: ConnectionWrite;
}

export type Action =
  | { readonly type: 'writeRecord'; readonly record: ResourceRecord }
  | AdoptAction
  /** `secret`: the name of a Secret in the object's namespace. */
  | { readonly type: 'holdCredentials'; readonly secret: string }
  | CreateAction
  | RebindAction
  | { readonly type: 'hold' }
  | DeleteAction
  | ChangeAction
  | CreatePeeringAction
  | DeletePeeringAction
  | DropEntriesAction
  | StoreConnectionAction
  | DropConnectionsAction
  | { readonly type: 'watchPasswordSource'; readonly source: PasswordSource }
  | SetPasswordAction;

const inTheCloud = 'remove there the cause of the refusal';

/**
 * The request as text, for `the cloud refused to …`, and the advice after a refusal.
 * @param thing the resource, such as `the service`
 */
export function describeAction(
  action: Action | undefined,
  thing: string,
): { readonly request: string; readonly remedy: string } {
  if (action?.type === 'create')
    return {
      request: `${action.creation.operation === 'forkService' ? 'fork' : 'create'} ${thing}`,
      remedy: 'change the spec',
    };
  if (action?.type === 'change') return action;
  if (action?.type === 'delete') return { request: `delete ${thing}`, remedy: inTheCloud };
  if (action?.type === 'createPeering')
    return { request: `peer ${action.key} with ${thing}`, remedy: 'change spec.peerings' };
  if (action?.type === 'deletePeering')
    return { request: `remove peering ${action.id} of ${thing}`, remedy: inTheCloud };
  if (action?.type === 'setPassword')
    return { request: `set the password of ${thing}`, remedy: 'change spec.password' };
  return { request: `change ${thing}`, remedy: 'change the spec' };
}

/**
 * Intervals until the next visit if no event wakes the object, in milliseconds of policy time. Watches and
 * lists of the cloud wake it sooner.
 */
export const intervals = {
  /** Another client wrote at the same time. The watch delivers that write within this time. */
  afterConflictMs: 1_000,
  /** A create got no answer. A list that begins after it shows the result. */
  afterUnansweredMs: 1_000,
  /** The cloud accepted a change and does not show it yet. It gets at least this time. */
  forEffectMs: 2_000,
  /** The cloud's data cannot be read, or proves nothing yet. The next list may. */
  forCloudMs: 5_000,
  /** Interval for a repeated DELETE of a resource that no list shows. */
  forUnlistedMs: 10_000,
  /** The result of an unanswered request is unknown. Only lists some minutes later show it. */
  forTraceMs: 15_000,
  /** An API key is missing or still needed. Users' Secrets are not watched everywhere. */
  forCredentialsMs: 15_000,
  /** An object in a reference is missing or not ready. Its changes wake the objects that refer to it. */
  forReferenceMs: 30_000,
  /** The cloud is working. Its lists show the progress, unless they cannot be read. */
  forProgressMs: 30_000,
  /** A person must act, in Kubernetes or in the cloud. */
  forPersonMs: 60_000,
  /** The longest wait for a visit after a message such as "waiting" or "tried again". */
  atLatestMs: 60_000,
  /** Only a new spec would change anything. Ready objects are visited at this interval, too. */
  nowAndThenMs: 600_000,
} as const;

const retry = { firstMs: 1_000, longestMs: 300_000 };
export const longestRetryMs = retry.longestMs;

/** The delay of a retry: 1 s, doubling to 5 min, plus up to a quarter. @param random 0 to 1 */
export function retryDelayMs(failures: number, random: number): number {
  return backOffMs(failures, retry, random);
}

/** The longest message in a status, an event or the log, except for a quoted refusal of Kubernetes. */
const longestMessage = 200;
const fewestCharacters = 30;
const namesShown = 3;

/**
 * The text, cut so that the message fits. At least thirty characters stay.
 * @param rest the other parts of the message
 * @param most the most characters of the text
 */
export function cutToFit(text: string, rest: string, { most = longestMessage } = {}): string {
  return shortened(text, Math.max(Math.min(most, longestMessage - rest.length), fewestCharacters));
}

/** The text with "…" in place of its middle. Its begin names the subject, and its end has the cause. */
export function shortened(text: string, longest: number): string {
  if (text.length <= longest) return text;
  const atBegin = Math.floor((longest - 1) / 3);
  return `${text.slice(0, atBegin)}…${text.slice(text.length - (longest - 1 - atBegin))}`;
}

/** Three of the names, and the number of the rest. */
export function listed(names: readonly string[]): string {
  const more = names.length - namesShown;
  return names.slice(0, namesShown).join(', ') + (more > 0 ? ` and ${more} more` : '');
}

export function withMore(message: string, more: string): string {
  return message.length + more.length > longestMessage ? message : message + more;
}
