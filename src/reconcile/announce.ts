import type { Context } from './context.ts';
import { ownerText } from './connection/store.ts';
import type { ManagedObject } from './situation.ts';
import type { Step } from './step.ts';

/** One event and one log line for each transition: what `kubectl describe` and the log tell of an object's life. */
export function announce(before: ManagedObject, step: Step, { events, log }: Context): void {
  if (step.type === 'write' || step.type === 'keep' || step.type === 'release') return;
  const reason = step.type === 'suspended' ? 'Suspended' : step.reason;
  const ready = before.status?.conditions?.find(({ type }) => type === 'Ready');
  if (ready?.reason === reason && ready.message === step.message) return;
  log.info({ object: `${before.metadata.namespace}/${ownerText(before)}`, reason }, step.message);
  if (ready?.reason === reason) return;
  events.record(before, { type: step.type === 'stall' ? 'Warning' : 'Normal', reason, message: step.message });
}
