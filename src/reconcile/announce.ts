import { annotations } from '../resources/annotations.ts';
import { keyOf } from '../runtime/kubernetes-object.ts';
import type { Context } from './context.ts';
import { ownerText } from './connection/ours.ts';
import { driftOf } from './drift.ts';
import type { KindReconciler } from './kind.ts';
import type { Situation } from './situation.ts';
import type { Step } from './step.ts';

/** One event and one log line for each transition: what `kubectl describe` and the log tell of an object's life. */
export function announce<S extends Situation>(kind: KindReconciler<S>, situation: S, step: Step, context: Context): void {
  const { object: before } = situation;
  const { events, log } = context;
  tellOfUselessAdoption(situation, context);
  tellOfDrift(kind, situation, step, context);
  tellOfMovedSecret(kind, situation, step, context);
  if (step.type === 'write' || step.type === 'keep' || step.type === 'release') return;
  const reason = step.type === 'suspended' ? 'Suspended' : step.reason;
  const ready = before.status?.conditions?.find(({ type }) => type === 'Ready');
  if (ready?.reason === reason && ready.message === step.message) return;
  log[step.type === 'stall' ? 'warn' : 'info']({ object: `${before.metadata.namespace}/${ownerText(before)}`, reason }, step.message);
  if (ready?.reason === reason) return;
  events.record(before, { type: step.type === 'stall' ? 'Warning' : 'Normal', reason, message: step.message });
}

/** A claimed object keeps its resource, whatever the annotation says later; that is told once. */
function tellOfUselessAdoption({ object, identity }: Situation, { events, memory }: Context): void {
  const wanted = object.metadata.annotations?.[annotations.externalId];
  if (identity.state !== 'known' || wanted === undefined || wanted === identity.id) return;
  const known = memory.of(object.kind, keyOf(object));
  if (known.uselessAdoption === wanted) return;
  known.uselessAdoption = wanted;
  const message = `managed-db.io/external-id ${wanted} has no effect: this object has ${identity.id}; to take over the other, create another object`;
  events.record(object, { type: 'Warning', reason: 'AdoptionFailed', message });
}

/** Somebody changed something elsewhere: what, from what to what, and what becomes of it. */
function tellOfDrift<S extends Situation>(kind: KindReconciler<S>, situation: S, step: Step, { events, log }: Context): void {
  if (step.type !== 'call' && step.type !== 'wait' && step.type !== 'stall' && step.type !== 'done') return;
  const { object } = situation;
  for (const { field, from, to } of driftOf(kind, situation)) {
    const message = `${field} was changed elsewhere from ${from} to ${to}; ${step.type === 'call' ? step.message : 'the spec does not name it: it stays'}`;
    log.info({ object: `${object.metadata.namespace}/${ownerText(object)}`, field, from, to }, 'changed elsewhere');
    events.record(object, { type: 'Warning', reason: step.reason, message });
  }
}

/** The connection Secret has another name than the last status told: whoever reads it by name has to follow. */
function tellOfMovedSecret<S extends Situation>(kind: KindReconciler<S>, situation: S, step: Step, { events, log }: Context): void {
  if (!('reason' in step)) return;
  const { object } = situation;
  const before = object.status && 'binding' in object.status ? object.status.binding?.name : undefined;
  const now = kind.connectionOf(situation)?.identity.name;
  if (before === undefined || now === undefined || now === before) return;
  const message = `Secret "${now}" has the connection now instead of "${before}": name it where apps read the old one`;
  log.info({ object: `${object.metadata.namespace}/${ownerText(object)}`, from: before, to: now }, 'the connection Secret has moved');
  events.record(object, { type: 'Normal', reason: step.reason, message });
}
