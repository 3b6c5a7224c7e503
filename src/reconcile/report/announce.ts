import { annotations } from '../../resources/annotations.ts';
import { readyOf, type ReconcilingReason } from '../../resources/condition.ts';
import { isDeepStrictEqual } from 'node:util';
import { keyOf, patchStatus, referenceOf, statusPatch, type KubernetesClient } from '../../runtime/index.ts';
import type { Context } from '../process/context.ts';
import { begunChange, driftOf, isAsWanted, lastAsWanted } from './drift.ts';
import { isObserved } from '../situation/options.ts';
import { othersInLog } from '../situation/neighbours.ts';
import type { Situation } from '../situation/situation.ts';
import type { Step } from '../step/step.ts';
import { mayBeReplaced } from '../situation/recreation.ts';
import { objectAfter } from '../step/outcome.ts';
import { unreportedForMs } from './delayed-report.ts';
import { statusLoopOf, statusUndoneForMs } from './slowed-down.ts';
import type { Visit } from './visit.ts';

type Dependencies = Pick<Context, 'caches' | 'memory' | 'loops' | 'events' | 'log' | 'shard'> & {
  readonly kubernetes: Pick<KubernetesClient, 'patch'>;
};

/** Policy time after which a part of status is written again that an older CRD dropped. A newer one may have been installed. */
const writtenAgainMs = 3_600_000;

/**
 * Reports a visit: drift as soon as it is seen, and the status, with an event for each transition. Short work of the cloud is not reported.
 * @returns milliseconds until a status that somebody undoes may be written again; undefined: it was written, or is not to be written now
 */
export async function announce<S extends Situation>(visit: Visit<S>, status: object, context: Dependencies): Promise<number | undefined> {
  const { kind, situation, outcome } = visit;
  const { object, now } = situation;
  const memory = context.memory.of(object.kind, keyOf(object));
  reportUselessAdoption(situation, context);
  reportDrift(visit, context);
  if (unreportedForMs(visit, memory) !== undefined) return undefined;
  const before = objectAfter(outcome) ?? object;
  const difference = statusPatch(before, status);
  const isDropped = isDeepStrictEqual(difference, memory.dropped?.part) && now - (memory.dropped?.at ?? 0) < writtenAgainMs;
  if (difference && !isDropped) {
    const loop = statusLoopOf(situation, status);
    const undoneForMs = statusUndoneForMs(loop, object, context);
    if (undoneForMs > 0) return undoneForMs;
    // Another process may have got the object.
    const isLocked = context.shard !== undefined;
    const written = await patchStatus(context.kubernetes, kind.type, before, difference, context.caches.of(kind.type.kind), isLocked);
    const part = statusPatch(written, status);
    // Conditions are in every definition: whatever takes them away is told.
    memory.dropped = part && !('conditions' in part) ? { part, at: now } : undefined;
    context.loops.record(...loop);
  }
  reportTransition(visit, context);
  return undefined;
}

/** Records an event and a log line for each transition of the status. Together they are the history of an object. */
function reportTransition<S extends Situation>(visit: Visit<S>, context: Dependencies): void {
  const { situation, step } = visit;
  const { object: before } = situation;
  const { events, log } = context;
  reportMovedSecret(visit, context);
  if (step.type === 'write' || step.type === 'keep' || step.type === 'release') return;
  const reason = step.type === 'suspended' ? 'Suspended' : step.reason;
  const ready = readyOf(before);
  if (ready?.reason === reason && ready.message === step.message) return;
  const others = othersInLog(situation);
  log[isLoud(step) ? 'warn' : 'info']({ object: referenceOf(before), reason, ...(others.length > 0 ? { others } : {}) }, step.message);
  if (ready?.reason === reason) return;
  events.record(before, { type: step.type === 'stall' ? 'Warning' : 'Normal', reason, message: step.message });
}

/** Whether the log line is a warning: something is wrong, whether a person must help or not. */
function isLoud(step: Step): boolean {
  return step.type === 'stall' || (step.type === 'wait' && trouble.has(step.reason));
}

const trouble: ReadonlySet<ReconcilingReason> = new Set(['CloudUnavailable', 'UnexpectedReply', 'InternalError', 'NotConverging']);

/** Reports once that an `external-id` on an object with a resource has no effect. */
function reportUselessAdoption({ object, identity }: Situation, { events, memory }: Dependencies): void {
  const wanted = object.metadata.annotations?.[annotations.externalId];
  if (identity.state !== 'known' || wanted === undefined || wanted === identity.id || mayBeReplaced(object, identity.id)) return;
  const known = memory.of(object.kind, keyOf(object));
  if (known.uselessAdoption === wanted) return;
  known.uselessAdoption = wanted;
  const message = `managed-db.io/external-id ${wanted} has no effect: this object has ${identity.id}; to take over the other, create another object`;
  events.record(object, { type: 'Warning', reason: 'AdoptionFailed', message });
}

/** Reports drift when it is first seen: the field, its old and new value, and the consequence. */
function reportDrift<S extends Situation>({ kind, situation, step, outcome }: Visit<S>, context: Dependencies): void {
  const { object, cloud } = situation;
  if (cloud.state !== 'present' || step.type === 'keep') return;
  const { events, log, memory } = context;
  const known = memory.of(object.kind, keyOf(object));
  const before = known.asWanted ?? lastAsWanted(kind, situation);
  if (!before && !isAsWanted(step, situation)) return;
  const after = kind.driftFields(kind.mirror(situation));
  const reason = step.type === 'suspended' ? 'Suspended' : 'reason' in step ? step.reason : undefined;
  for (const { field, from, to } of before && reason ? driftOf(before, after) : []) {
    log.info({ object: referenceOf(object), field, from, to }, 'changed elsewhere');
    const message = `${field} was changed elsewhere from ${from} to ${to}; ${consequenceFor(field, situation)}`;
    if (reason) events.record(object, { type: 'Warning', reason, message });
  }
  known.asWanted = begunChange(outcome) ? undefined : after;
}

function consequenceFor(field: string, { object, options, pendingChanges }: Situation): string {
  const { spec, metadata } = object;
  const change = pendingChanges.find(({ path }) => path === field);
  if (!change) return 'the spec does not name it: it stays';
  if (metadata.deletionTimestamp) return 'it stays: this object is being deleted';
  if (spec.suspend === true) return 'it stays while spec.suspend is true';
  if (isObserved(object, options)) return 'it is only observed: it stays';
  return 'message' in change.step ? change.step.message : change.name;
}

/** Reports a connection Secret whose name differs from that in the last status: apps that use the name must follow. */
function reportMovedSecret<S extends Situation>({ situation, step }: Visit<S>, { events, log }: Dependencies): void {
  if (!('reason' in step)) return;
  const { object } = situation;
  const before = object.status && 'binding' in object.status ? object.status.binding?.name : undefined;
  const now = situation.secret?.name;
  if (before === undefined || now === undefined || now === before) return;
  const message = `Secret "${now}" has the connection now instead of "${before}": name it where apps read the old one`;
  log.info({ object: referenceOf(object), from: before, to: now }, 'the connection Secret has moved');
  events.record(object, { type: 'Normal', reason: step.reason, message });
}
