import { readyOf } from '../../../../resources/condition.ts';
import { atWorkOn } from '../../../decide/field.ts';
import type { Rule } from '../../../decide/rule.ts';
import { wait, type Step } from '../../../step/step.ts';
import { pendingChanges, type Changes, type Work } from '../../../decide/pending-change.ts';
import type { ExistingService } from '../situation.ts';
import { atRest } from '../state.ts';

/** States that end by themselves as the cloud describes them; in any other one a change is tried once in a while. */
const transient: ReadonlySet<string> = new Set(['QUEUED', 'CONFIGURING', 'PAUSING', 'RESUMING', 'DELETING']);
const patienceMs = 600_000;

/** The cloud is at work: whatever the spec still wants comes when it is done. */
export function settle(changes: Changes<ExistingService>): Rule<ExistingService> {
  return (situation) => {
    const { now, stateSince } = situation;
    const state = wordOf(situation);
    if (atRest.has(state)) return undefined;
    const pending = pendingChanges(changes, situation);
    const inProgress = situation.lastOperation?.operation;
    const isStuck = !transient.has(state) && now - stateSince >= patienceMs;
    if (isStuck && pending.some(({ step }) => step.type === 'call' || step.type === 'write')) return undefined;
    return atWork(
      changes,
      situation,
      pending.filter(({ operation }) => operation === undefined || operation !== inProgress).map(({ name }) => name),
    );
  };
}

/** After the changes: a service that is not at rest is not Ready, whatever was tried. */
export function stillAtWork(changes: Changes<ExistingService>): Rule<ExistingService> {
  return (situation) => (atRest.has(wordOf(situation)) ? undefined : atWork(changes, situation, []));
}

function atWork(changes: Changes<ExistingService>, situation: ExistingService, then: readonly string[]): Step {
  const state = wordOf(situation);
  const { lastOperation, now, record } = situation;
  const inProgressSince = lastOperation?.at ?? (Date.parse(record.claimedAt ?? '') || now);
  const { reason, words } = wordsFor(changes, situation, state);
  const follows = then.length === 0 ? '' : `; then: ${then.join(', ')}`;
  return wait(reason, `${words} (${state})${follows}`, { inProgressSince });
}

/** The cloud's word for its state. */
function wordOf({ resource }: ExistingService): string {
  return resource.status ?? 'no state';
}

function wordsFor(changes: Changes<ExistingService>, { object, lastOperation: last }: ExistingService, state: string): Work {
  const before = object.status?.state;
  const ours = atWorkOn(changes, last);
  if (ours && transient.has(state)) return ours;
  if (state === 'PAUSING') return { reason: 'Stopping', words: 'the cloud is stopping the service' };
  if (state === 'RESUMING') return { reason: 'Starting', words: 'the cloud is starting the service' };
  const isBeingMade =
    (state === 'QUEUED' || state === 'CONFIGURING') && (before === undefined || before === 'QUEUED' || before === 'CONFIGURING');
  // What was Ready once is at work on something that somebody else asked for, however often it is looked at.
  const told = readyOf(object)?.reason;
  if (isBeingMade && !last && told !== 'WaitingForCloud') return { reason: 'Creating', words: 'the cloud is creating the service' };
  return { reason: 'WaitingForCloud', words: 'the cloud is at work on the service' };
}
