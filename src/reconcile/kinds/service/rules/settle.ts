import { type ReconcilingReason, readyOf } from '../../../../resources/condition.ts';
import type { CloudChange } from '../../../step/cloud-change.ts';
import type { Rule } from '../../../decide/rule.ts';
import { wait, type Step } from '../../../step/step.ts';
import { pendingChanges, type ChangeRule } from '../../../decide/pending-change.ts';
import type { ServiceSituation } from '../situation.ts';
import { atRest, serviceOf } from '../state.ts';

/** States that end by themselves as the cloud describes them; in any other one a change is tried once in a while. */
const transient: ReadonlySet<string> = new Set(['QUEUED', 'CONFIGURING', 'PAUSING', 'RESUMING', 'DELETING']);
const patienceMs = 600_000;

interface Doing {
  readonly reason: ReconcilingReason;
  readonly words: string;
}

/** Changes after which the service is at work for a while; the others show at once. */
const doing = new Map<string, Doing>(
  Object.entries({
    startService: { reason: 'Starting', words: 'starting the service' },
    stopService: { reason: 'Stopping', words: 'stopping the service' },
    attachServiceToVpc: { reason: 'AttachingVpc', words: 'attaching to VPC' },
    detachServiceFromVpc: { reason: 'DetachingVpc', words: 'detaching from its VPC, on the way to' },
    resizeService: { reason: 'Resizing', words: 'resizing to' },
    setServiceHighAvailability: { reason: 'ConfiguringHighAvailability', words: 'changing the high-availability replicas to' },
  } satisfies Partial<Record<CloudChange['operation'], Doing>>),
);

/** The cloud is at work: whatever the spec still wants comes when it is done. */
export function settle(changes: readonly ChangeRule<ServiceSituation>[]): Rule<ServiceSituation> {
  return (situation) => {
    const { now, stateSince } = situation;
    const state = serviceOf(situation)?.status ?? 'no state';
    if (atRest.has(state)) return undefined;
    const pending = pendingChanges(changes, situation);
    const inProgress = situation.lastOperation?.operation;
    const isStuck = !transient.has(state) && now - stateSince >= patienceMs;
    if (isStuck && pending.some(({ step }) => step.type === 'call' || step.type === 'write')) return undefined;
    return atWork(
      situation,
      state,
      pending.filter(({ operation }) => operation === undefined || operation !== inProgress).map(({ name }) => name),
    );
  };
}

/** After the changes: a service that is not at rest is not Ready, whatever was tried. */
export const stillAtWork: Rule<ServiceSituation> = (situation) => {
  const state = serviceOf(situation)?.status ?? 'no state';
  return atRest.has(state) ? undefined : atWork(situation, state, []);
};

function atWork(situation: ServiceSituation, state: string, then: readonly string[]): Step {
  const { lastOperation, now, record } = situation;
  const inProgressSince = lastOperation?.at ?? (Date.parse(record.claimedAt ?? '') || now);
  const { reason, words } = wordsFor(situation, state);
  const follows = then.length === 0 ? '' : `; then: ${then.join(', ')}`;
  return wait(reason, `${words} (${state})${follows}`, { inProgressSince });
}

function wordsFor({ object, lastOperation: last }: ServiceSituation, state: string): Doing {
  const before = object.status?.state;
  const known = doing.get(last?.operation ?? '');
  if (known && transient.has(state)) {
    const isPower = last?.operation === 'startService' || last?.operation === 'stopService';
    return isPower ? known : { reason: known.reason, words: `${known.words} ${last?.wanted ?? ''}` };
  }
  if (state === 'PAUSING') return { reason: 'Stopping', words: 'the cloud is stopping the service' };
  if (state === 'RESUMING') return { reason: 'Starting', words: 'the cloud is starting the service' };
  const isBeingMade =
    (state === 'QUEUED' || state === 'CONFIGURING') && (before === undefined || before === 'QUEUED' || before === 'CONFIGURING');
  // What was Ready once is at work on something that somebody else asked for, however often it is looked at.
  const told = readyOf(object)?.reason;
  if (isBeingMade && !last && told !== 'WaitingForCloud') return { reason: 'Creating', words: 'the cloud is creating the service' };
  return { reason: 'WaitingForCloud', words: 'the cloud is at work on the service' };
}
