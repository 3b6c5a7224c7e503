import { completeEndpoint } from '../../../../cloud/wire/endpoint.ts';
import type { Rule } from '../../../decide/rule.ts';
import { awaitReference } from '../../../decide/await-reference.ts';
import { bodyOf, call, askPerson, wait } from '../../../step/step.ts';
import { intervals } from '../../../step/intervals.ts';
import type {
  MissingReplicaSet,
  ExistingReplicaSet,
  ReplicaSetSituation,
  DeletingReplicaSet,
} from '../situation.ts';
import { createAction } from '../../../decide/rules/missing.ts';
import { readyOf, type ReconcilingReason } from '../../../../resources/condition.ts';
import { connectionPlace, hasConnection } from '../../../connection/projection.ts';
import type { Serving } from '../../kind.ts';
import { printable } from '../../../../logging/printable.ts';
import { replicaSetId } from '../../../../cloud/wire/replica-set.ts';
import { serviceId } from '../../../../cloud/wire/service.ts';
import { removeUnshown, type DeletionOf } from '../../../decide/rules/deleting.ts';
import { isDeleteAnswered } from '../../../situation/history.ts';

/** Waits for the service that the spec names: a replica set exists only below a service. */
export const awaitParent: Rule<MissingReplicaSet> = ({ parent }) =>
  awaitReference(
    parent.state === 'none'
      ? {
          state: 'waiting',
          message: 'neither spec.serviceRef nor spec.serviceId is set: set either',
        }
      : parent,
  );

/** Creates the replica set that the spec describes. */
export const createReplicaSet: Rule<MissingReplicaSet> = (situation) => {
  const { object, key, parent } = situation;
  if (parent.state !== 'found') return undefined;
  const { nodes, cpuMillis, memoryGbs } = object.spec;
  if (nodes === undefined || cpuMillis === undefined || memoryGbs === undefined) return undefined; // the spec was rejected for that
  return call(
    createAction(
      situation,
      {
        operation: 'createReplicaSet',
        ids: [parent.id],
        body: bodyOf<'createReplicaSet'>({
          nodes,
          cpu_millis: cpuMillis,
          memory_gbs: memoryGbs,
        }),
      },
      { projectId: key.projectId },
    ),
    { reason: 'Creating', message: `creating the replica set on service ${parent.id}` },
  );
};

/** Waits while the cloud works on the replica set. */
export const awaitCloudWork: Rule<ExistingReplicaSet> = ({
  lastOperation,
  record,
  now,
  resource,
}) => {
  const { status: state = 'no state' } = resource;
  const inProgressSince = lastOperation?.at ?? (Date.parse(record.claimedAt ?? '') || now);
  const during = (reason: ReconcilingReason, doing: string) =>
    wait(reason, `the cloud is ${doing} the replica set (${state})`, { inProgressSince });
  switch (state) {
    case 'active':
    case 'error': // reported after the Secret is up to date, since apps still use it
      return undefined;
    case 'creating':
      return during('Creating', 'creating');
    case 'resizing':
      return during('Resizing', 'resizing');
    default:
      return during('WaitingForCloud', 'at work on');
  }
};

/** Reports the state `error`. Only the support of the cloud can end it. */
export const reportError: Rule<ExistingReplicaSet> = ({ resource }) => {
  if (resource.status !== 'error') return undefined;
  const problem = 'the cloud reports an error on the replica set and gives no reason';
  return askPerson(
    'CloudError',
    `${problem}: ask its support, or delete this object and create another`,
  );
};

/** The service wakes the replica set when its state changes. A stopped service is no fault: nothing is retried. */
export const awaitService: Rule<ExistingReplicaSet> = ({ parent, pendingChanges: [first] }) => {
  if (first === undefined || (parent.state !== 'waiting' && parent.state !== 'blocked'))
    return undefined;
  const message = printable(`to change the ${first.name}: ${parent.message}`);
  if (parent.isStopped === true) return { type: 'done', reason: 'Stopped', message, differs: true };
  return awaitReference({ ...parent, message });
};

/** Reports a replica set to which apps can connect, or whose service is stopped. */
export const ready: Rule<ExistingReplicaSet> = (situation) => ({
  type: 'done',
  ...available(situation),
});

/** Apps use the replica set also while the cloud resizes it, or works in an undocumented state. */
export function serving(situation: ReplicaSetSituation): Serving | undefined {
  const { cloud, object, stoppedService } = situation;
  if (cloud.state !== 'present' || !hasConnection(situation)) return undefined;
  if (stoppedService?.isReady === false) return undefined;
  const { status = 'no state' } = cloud.resource;
  const isServing =
    status === 'active' ||
    status === 'resizing' ||
    (!idle.has(status) && readyOf(object)?.status === 'True');
  return isServing ? available(situation) : undefined;
}

const idle: ReadonlySet<string> = new Set(['creating', 'deleting', 'error']);

function available(
  situation: Pick<
    ExistingReplicaSet,
    'object' | 'options' | 'mirror' | 'secret' | 'stoppedService'
  >,
): { readonly reason: 'Available' | 'Stopped'; readonly message: string } {
  const { mirror, secret, stoppedService } = situation;
  if (stoppedService) return { reason: 'Stopped', message: stoppedService.message };
  const endpoint = completeEndpoint(mirror?.endpoint);
  const where = endpoint ? ` at ${endpoint.host}:${endpoint.port}` : '';
  const message = `the replica set is available${where}; ${connectionPlace(situation, passwordHint(secret))}`;
  return { reason: 'Available', message };
}

function passwordHint(secret: ExistingReplicaSet['secret']): string {
  if (secret.hasPassword) return '';
  if (secret.state === 'current' && secret.hasOtherPassword)
    return '; its password may be old, since no ManagedService in this namespace has it';
  return '; no ManagedService in this namespace has its password';
}

/** The DELETE of a replica set, below its service. */
export const deletion: DeletionOf<DeletingReplicaSet> = ({ record, id }) => ({
  operation: 'deleteReplicaSet',
  args: [serviceId.parse(record.parentServiceId), replicaSetId.parse(id)],
});

/** A list without the replica set may be outdated, and there is no GET: the DELETE is repeated until the cloud answers it with 404. */
export const removeUnlisted: Rule<DeletingReplicaSet> = (situation) => {
  const { cloud, id, list, lastOperation, now } = situation;
  if (cloud.state !== 'missing' || list?.isDenied === true) return undefined;
  if (isDeleteAnswered(lastOperation, id) && now - lastOperation.at < intervals.forUnlistedMs)
    return undefined;
  return removeUnshown(situation, deletion, `the replica set ${id}`);
};
