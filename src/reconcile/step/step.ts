import { printable } from '../../logging/printable.ts';
import type { ResourceRecord } from '../../resources/ledger-entry.ts';
import type {
  HeldReason,
  ReadyReason,
  ReconcilingReason,
  StalledReason,
} from '../../resources/condition.ts';
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
import { intervals } from './intervals.ts';

/** The decision of a visit, with the message for the user. Plain data, so that rules stay pure and a plan can be printed. */
export type Step =
  /** At most a single change in the cloud, recorded before it is sent. */
  | {
      readonly type: 'call';
      readonly action: CloudAction;
      readonly reason: ReconcilingReason;
      readonly message: string;
    }
  /**
   * A change of the operator's data in Kubernetes; another visit follows at once. `reason`: status and an event
   * report the write, since it decides which resource the object has.
   */
  | {
      readonly type: 'write';
      readonly action: ClusterAction;
      readonly message: string;
      readonly reason?: ReconcilingReason;
    }
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
  /** Rules of users hold the remaining changes: the resource is left as it is until the next opening. */
  | {
      readonly type: 'held';
      readonly reason: HeldReason;
      readonly message: string;
      /** Milliseconds until every level has an open window. Undefined if only a person can end the wait. */
      readonly opensInMs?: number;
      /** Milliseconds for which the windows stay open after that. */
      readonly opensForMs?: number;
    }
  /** Nothing was learned: the status stays unchanged, and has the report only if that lasts. */
  | { readonly type: 'keep'; readonly delayedReport: WaitOrStall }
  /**
   * Nothing is done until a user resumes the object. `differs`: the spec is not applied, or the cloud does not show
   * now whether it is.
   */
  | {
      readonly type: 'suspended';
      readonly message: string;
      readonly differs?: true | 'unknown';
    }
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
 * The fate of the resource of a released object. With `gone` and `retained`, an open create has made nothing, by the lists or by a person's word.
 *
 * - `gone`: the absence is proven, or nothing was created; the operator deletes connection Secret and ledger entry, too
 * - `retained`: the resource stays, and its connection Secret and ledger entry with it
 * - `foreign`: another object owns it
 * - `abandoned`: the resource stays, against the spec; an event names it
 */
export type Fate = 'gone' | 'retained' | 'foreign' | 'abandoned';

/** A step that waits for a person. */
export type Stall = Extract<Step, { type: 'stall' }>;
/** A step of a visit that learned nothing. */
export type Keep = Extract<Step, { type: 'keep' }>;

/** A step that a status can report in place of another step. */
export type WaitOrStall = Extract<Step, { type: 'wait' | 'stall' }>;

// Messages contain names of the cloud, so each is made printable where its step is made.

/** A step with a change in the cloud. The reason and the message report it. */
export function call(
  action: CloudAction,
  { reason, message }: { reason: ReconcilingReason; message: string },
): Step {
  return { type: 'call', action, reason, message: printable(message) };
}

/**
 * A step with a change of the data in Kubernetes. Another visit follows at once.
 * @param reason undefined for a write that only later visits report
 */
export function write(action: ClusterAction, message: string, reason?: ReconcilingReason): Step {
  return { type: 'write', action, message: printable(message), ...(reason && { reason }) };
}

/** A step that waits for an event, or for a time. */
export function wait(
  reason: ReconcilingReason,
  message: string,
  more: { afterMs?: number; inProgressSince?: number } = {},
): Extract<Step, { type: 'wait' }> {
  return { type: 'wait', reason, message: printable(message), ...more };
}

/**
 * A step that waits for a person. Without `retryAfterMs`, only a change in Kubernetes leads to
 * another visit soon.
 */
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

/** A step that leaves the status unchanged. The report is written only if the trouble lasts. */
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
/** The operations about an existing resource that have no own action. */
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
/** The change of a value of an existing resource. */
export type CloudChange = CallOf<ChangeOperation>;
/** The deletion of an existing resource. */
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
/** Each field of a body that may be absent, with undefined for a field that is not sent. */
type EveryField<B> = {
  readonly [F in keyof B]-?: B extends Record<F, B[F]> ? B[F] : B[F] | undefined;
};

/**
 * Makes the body of a create. It takes each field of the request, so a field that a kind forgets to send does not
 * compile. A field that is undefined is not sent, and the cloud chooses its value.
 */
export function bodyOf<O extends CreateOperation>(fields: EveryField<BodyOf<O>>): BodyOf<O>;
export function bodyOf(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** The request of a create, without the name of the resource. */
export type Creation<O extends CreateOperation = CreateOperation> = {
  [K in O]: { readonly operation: K; readonly ids: IdsOf<K>; readonly body: BodyOf<K> };
}[O];

/** Binds the object to an existing resource. The cloud is not changed. */
export interface AdoptAction {
  readonly type: 'adopt';
  /** The kind in messages, such as `service`. */
  readonly noun: string;
  readonly id: string;
  readonly record: ResourceRecord;
}

/** Creates a resource. The entry has the attempt before the request is sent. */
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

/** The object takes over an entry of an earlier object, or its own entry from another cluster. */
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

/** Changes a value of the resource. */
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

/**
 * Deletes a recorded peering. `inVain`: the report if the DELETE is accepted, since an earlier
 * DELETE had no effect.
 */
export interface DeletePeeringAction {
  readonly type: 'deletePeering';
  readonly vpcId: VpcId;
  readonly id: PeeringId;
  readonly inVain?: Stall | undefined;
}

/** Deletes ledger entries of earlier objects about the same resource. */
export interface DropEntriesAction {
  readonly type: 'dropEntries';
  readonly names: readonly string[];
}

/** Removes annotations that have served their purpose: the approvals of accepted changes, and the permission for a recreation. */
export interface DropAnnotationsAction {
  readonly type: 'dropAnnotations';
  readonly names: readonly string[];
}

/** Writes the connection Secret. */
export interface StoreConnectionAction {
  readonly type: 'storeConnection';
  readonly write: ConnectionWrite;
  /** Another client changed the content of the Secret. */
  readonly isEdited: boolean;
}

/** Deletes the connection Secrets of earlier names, once the present Secret is complete. */
export interface DropConnectionsAction {
  readonly type: 'dropConnections';
  readonly write: ConnectionWrite;
  readonly names: readonly string[];
}

/** Sets the password of the service. The entry has the password before the request is sent. */
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
  /** The resourceVersion of the ledger entry whose next password this process wrote, and has not sent. */
  readonly neverSent?: string | undefined;
  readonly write: ConnectionWrite;
}

/** A change in the cloud. Plain data without secrets, so that a plan can print it. */
export type CloudAction =
  | CreateAction
  | DeleteAction
  | ChangeAction
  | CreatePeeringAction
  | DeletePeeringAction
  | SetPasswordAction;

/** A change of the operator's data in the cluster: objects, ledger entries and Secrets. Plain data, too. */
export type ClusterAction =
  | { readonly type: 'writeRecord'; readonly record: ResourceRecord }
  | AdoptAction
  /** `secret`: the name of a Secret in the object's namespace. */
  | { readonly type: 'holdCredentials'; readonly secret: string }
  | RebindAction
  | { readonly type: 'hold' }
  | DropEntriesAction
  | DropAnnotationsAction
  | StoreConnectionAction
  | DropConnectionsAction
  | { readonly type: 'watchPasswordSource'; readonly source: PasswordSource };

/** Everything that a step can do. */
export type Action = CloudAction | ClusterAction;

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
      // Only the words of the cloud show whether the spec or a quota is the cause.
      remedy: 'change the spec, or raise your quota',
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
