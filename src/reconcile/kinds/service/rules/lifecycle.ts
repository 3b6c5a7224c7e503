import { completeEndpoint } from '../../../../cloud/wire/endpoint.ts';
import type { Rule } from '../../../decide/rule.ts';
import { awaitReference } from '../../../decide/await-reference.ts';
import { bodyOf, call, type Creation, wait, type Step } from '../../../step/step.ts';
import { whyHeldWhileStopped } from '../../../decide/gate.ts';
import { cutToFit, listed, listedToFit } from '../../../step/short-message.ts';
import type { PendingChange } from '../../../situation/situation.ts';
import type { MissingService, ExistingService, ServiceSituation } from '../situation.ts';
import { awaitEndpoint } from '../../../decide/rules/existing.ts';
import { createAction } from '../../../decide/rules/missing.ts';
import { rotationOrigin } from '../../../step/connection.ts';
import type { ServiceId } from '../../../../cloud/wire/service.ts';
import type { ManagedServiceSpec } from '../../../../resources/managed-service.ts';
import {
  nextStart,
  wakeCommand,
  wakeNote,
  wantedPower,
} from '../../../../resources/running-hours.ts';
import { isObserved } from '../../../situation/options.ts';
import { stateSince, ownStatus } from '../../../situation/history.ts';
import { isAfterReady } from '../fields.ts';
import { connectionPlace, hasConnection } from '../../../connection/projection.ts';
import type { Serving } from '../../kind.ts';
import { hasReason, type ReconcilingReason } from '../../../../resources/condition.ts';

/** Waits for the source of a fork, then for the VPC. */
export const awaitReferences: Rule<MissingService> = ({ vpc, forkSource }) =>
  awaitReference(forkSource) ?? awaitReference(vpc);

/** Creates the service that the spec describes. */
export const createService: Rule<MissingService> = (situation) => {
  const { object, key, forkSource, vpc, wantedSecret: connection } = situation;
  const creation = serviceCreation(
    object.spec,
    forkSource.state === 'found' ? forkSource.id : undefined,
  );
  const { projectId } = key;
  const { rotation } = object.spec.password ?? {};
  const firstPassword = {
    connection,
    requested: rotation === undefined ? undefined : rotationOrigin(rotation),
  };
  const attached = vpc.state === 'found' ? { vpcAttachment: vpc.id } : {};
  return call(
    { ...createAction(situation, creation, { projectId }, attached), firstPassword },
    {
      reason: 'Creating',
      message:
        creation.operation === 'forkService'
          ? `forking service ${creation.ids[0]}`
          : 'creating the service',
    },
  );
};

/** Values that the request cannot contain are changed after the create. */
function serviceCreation(spec: ManagedServiceSpec, forkSource: ServiceId | undefined): Creation {
  const common = {
    cpu_millis: spec.cpuMillis === undefined ? undefined : String(spec.cpuMillis),
    memory_gbs: spec.memoryGbs === undefined ? undefined : String(spec.memoryGbs),
    environment_tag: spec.environment,
  };
  if (spec.fork && forkSource !== undefined) {
    const { strategy, targetTime } = spec.fork;
    return {
      operation: 'forkService',
      ids: [forkSource],
      body: bodyOf<'forkService'>({ fork_strategy: strategy, target_time: targetTime, ...common }),
    };
  }
  return {
    operation: 'createService',
    ids: [],
    body: bodyOf<'createService'>({
      addons: spec.addons,
      ...common,
      region_code: spec.regionCode,
      replica_count: spec.highAvailability?.replicaCount,
    }),
  };
}

/** States that end by themselves, according to the cloud. In any other state, a change is tried once in a while. */
const transient: ReadonlySet<string> = new Set([
  'QUEUED',
  'CONFIGURING',
  'PAUSING',
  'RESUMING',
  'DELETING',
]);
const stuckAfterMs = 600_000;

/**
 * Waits while the cloud works on the service. In a state that does not end by itself, a change is
 * tried after a while.
 */
export const awaitCloudWork: Rule<ExistingService> = (situation) => {
  const { now, isAtRest, state = '', pendingChanges: pending } = situation;
  if (isAtRest) return undefined;
  const isStuck = !transient.has(state) && now - stateSince(situation) >= stuckAfterMs;
  return isStuck && pending.some(mayBeTried) ? undefined : waitForCloud(situation);
};

/** Whether the operator can make the change now, instead of a wait or a report. */
function mayBeTried({ step, isPostponed }: PendingChange): boolean {
  return isPostponed !== true && (step.type === 'call' || step.type === 'write');
}

/** Comes after the changes: a service that is not at rest is not Ready, even if a change was tried. */
export const reportCloudWork: Rule<ExistingService> = (situation) =>
  situation.isAtRest ? undefined : waitForCloud(situation);

function waitForCloud(situation: ExistingService): Step {
  const { state = 'no state', lastOperation, now, record, pendingChanges: pending } = situation;
  const then = pending
    .filter(({ operation }) => operation === undefined || operation !== lastOperation?.operation)
    .map(({ name }) => name);
  const inProgressSince = lastOperation?.at ?? (Date.parse(record.claimedAt ?? '') || now);
  const { reason, message } = progressFor(situation, state);
  const follows = then.length === 0 ? '' : `; then: ${listed(then)}`;
  return wait(reason, `${message} (${state})${follows}`, { inProgressSince });
}

interface Progress {
  readonly reason: ReconcilingReason;
  readonly message: string;
}

/** The work of the cloud after it has accepted a change. Other changes show at once. */
const work: Readonly<Partial<Record<string, (to: string) => Progress>>> = {
  startService: () => ({ reason: 'Starting', message: 'starting the service' }),
  stopService: () => ({ reason: 'Stopping', message: 'stopping the service' }),
  resizeService: (to) => ({ reason: 'Resizing', message: `resizing to ${to}` }),
  setServiceHighAvailability: (to) => ({
    reason: 'ConfiguringHighAvailability',
    message: `changing the high-availability replicas to ${to}`,
  }),
  attachServiceToVpc: (to) => ({ reason: 'AttachingVpc', message: `attaching to VPC ${to}` }),
  detachServiceFromVpc: (to) => ({
    reason: 'DetachingVpc',
    message: `detaching from its VPC, on the way to ${to}`,
  }),
};

function progressFor(situation: ExistingService, state: string): Progress {
  const { object, lastOperation: last } = situation;
  const before = ownStatus(situation)?.state;
  const ours = last && work[last.operation];
  if (ours && transient.has(state)) return ours(last.wanted);
  if (state === 'PAUSING')
    return { reason: 'Stopping', message: 'the cloud is stopping the service' };
  if (state === 'RESUMING')
    return { reason: 'Starting', message: 'the cloud is starting the service' };
  const isBeingMade =
    (state === 'QUEUED' || state === 'CONFIGURING') &&
    (before === undefined || before === 'QUEUED' || before === 'CONFIGURING');
  // On a service that was Ready, the cloud works at another client's request, at every visit.
  if (isBeingMade && !last && !hasReason(object, 'WaitingForCloud'))
    return { reason: 'Creating', message: 'the cloud is creating the service' };
  return { reason: 'WaitingForCloud', message: 'the cloud is at work on the service' };
}

/** A stopped service needs no endpoint. */
export const awaitServiceEndpoint: Rule<ExistingService> = (situation) =>
  situation.state === 'PAUSED' ? undefined : awaitEndpoint(situation);

/** Reports a service that is available, or stopped. */
export const ready: Rule<ExistingService> = (situation) => {
  const { state, pendingChanges } = situation;
  if (state !== 'PAUSED') return { type: 'done', ...available(situation) };
  const names = pendingChanges.map(({ name }) => name);
  const follows = names.length === 0 ? '' : `; when it runs again: ${listed(names)}`;
  const asked =
    stoppedAsAsked(situation)?.message ??
    'the service is stopped; set spec.powerState to Running to start it';
  const start = 'the service is stopped; ';
  const why = whyHeldWhileStopped(situation);
  const message =
    why === undefined ? asked + follows : `${start}${listedToFit(names, start + why)}${why}`;
  return {
    type: 'done',
    reason: 'Stopped',
    message,
    ...(names.length > 0 && { differs: true }),
  };
};

/** The report of a service that is stopped as its object requests. Undefined for another service. */
function stoppedAsAsked({
  object,
  options,
  state,
  wallTime,
}: Pick<ServiceSituation, 'object' | 'options' | 'state' | 'wallTime'>): Serving | undefined {
  const hasHours = object.spec.runningHours !== undefined;
  const power = wantedPower(object, wallTime);
  const isAsked = power === 'Stopped' || (power === undefined && hasHours);
  if (state !== 'PAUSED' || !isAsked) return undefined;
  const start = nextStart(object, wallTime);
  if (start === undefined || isSuspendedOrObserved({ object, options }))
    return { reason: 'Stopped', message: 'the service is stopped, as asked' };
  const note = wakeNote(object, wallTime);
  const message = `stopped until ${start} (spec.runningHours); to start it: ${wakeCommand(object)}`;
  return { reason: 'Stopped', message: note === undefined ? message : `${message}; ${note}` };
}

/** States in which apps cannot connect, or may not be able to. */
const idle: ReadonlySet<string> = new Set([
  'PAUSING',
  'PAUSED',
  'RESUMING',
  'UNSTABLE',
  'DELETING',
]);

/** The cloud's work on a service that was READY does not keep apps from it. A service that was never READY has no endpoint yet. */
export function serving(situation: ServiceSituation): Serving | undefined {
  const { cloud, state = '' } = situation;
  if (cloud.state !== 'present') return undefined;
  const stopped = stoppedAsAsked(situation);
  if (stopped) return stopped;
  const wasReady = isAfterReady(state) || ownStatus(situation)?.wasReady === true;
  return wasReady && !idle.has(state) && hasConnection(situation)
    ? available(situation)
    : undefined;
}

function available(
  situation: Pick<ExistingService, 'object' | 'options' | 'mirror' | 'secret' | 'wallTime'>,
) {
  const { mirror, wallTime, object } = situation;
  const endpoint = completeEndpoint(mirror?.endpoint);
  const where = endpoint ? ` at ${endpoint.host}:${endpoint.port}` : '';
  const note = isSuspendedOrObserved(situation) ? undefined : wakeNote(object, wallTime);
  const wake = note === undefined ? '' : `; ${note}`;
  const message = `the service is available${where}; ${connectionPlace(situation, passwordHint(situation))}`;
  const shown = note === undefined ? message : cutToFit(message, wake) + wake;
  return { reason: 'Available', message: shown } as const;
}

/** For such a service, neither a wake nor a new password has an effect. */
function isSuspendedOrObserved({
  object,
  options,
}: Pick<ExistingService, 'object' | 'options'>): boolean {
  return object.spec.suspend === true || isObserved(object, options);
}

function passwordHint(situation: Pick<ExistingService, 'object' | 'options' | 'secret'>): string {
  const { secret } = situation;
  if (secret.hasPassword) return '';
  const hasNoRemedy = isSuspendedOrObserved(situation);
  if (secret.state === 'current' && secret.hasOtherPassword)
    return `, and a password that is not in the ledger${hasNoRemedy ? '' : '; to set a password, use spec.password'}`;
  const remedy = hasNoRemedy ? '' : '; set spec.password.rotation for a new password';
  return `, without a password, which is unknown${remedy}`;
}
