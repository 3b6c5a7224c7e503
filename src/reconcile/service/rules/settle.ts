import type { ReconcilingReason } from '../../../resources/condition.ts';
import type { Rule } from '../../rule.ts';
import { isSettling } from '../../last-operation.ts';
import { wait } from '../../step.ts';
import type { ServiceSituation } from '../situation.ts';
import { serviceOf } from '../state.ts';
import { vpcEndpointOf } from '../vpc-endpoint.ts';

const atRest: ReadonlySet<string> = new Set(['READY', 'PAUSED']);

/** The cloud is at work: whatever the spec still wants comes when it is done. */
export const settle: Rule<ServiceSituation> = (situation) => {
  const { object, now, vpc, record } = situation;
  const service = serviceOf(situation);
  const last = object.status?.lastOperation;
  const state = service?.status ?? 'no state';
  const inProgressSince = Date.parse(last?.at ?? record.claimedAt ?? '') || now;
  if (service && vpc.state === 'found' && vpcEndpointOf(service).state === 'detached' && isSettling(last, 'attachVpc', vpc.id, now)) {
    return wait('AttachingVpc', `attaching to VPC ${vpc.id}`, { inProgressSince });
  }
  if (atRest.has(state)) return undefined;
  const follows =
    service && vpc.state === 'found' && vpcEndpointOf(service).state === 'detached' ? `; attaching to VPC ${vpc.id} follows` : '';
  return wait(reasonFor(situation, state), `${wordsFor(situation, state)} (${state})${follows}`, { inProgressSince });
};

function reasonFor(situation: ServiceSituation, state: string): ReconcilingReason {
  if (state === 'PAUSING') return 'Stopping';
  if (state === 'RESUMING') return 'Starting';
  if (isBeingMade(situation, state)) return 'Creating';
  return situation.object.status?.lastOperation?.operation === 'attachVpc' && state === 'CONFIGURING' ? 'AttachingVpc' : 'WaitingForCloud';
}

function wordsFor(situation: ServiceSituation, state: string): string {
  if (isBeingMade(situation, state)) return 'the cloud is creating the service';
  return 'the cloud is at work on the service';
}

function isBeingMade({ object }: ServiceSituation, state: string): boolean {
  const before = object.status?.state;
  const wasBeingMade = before === undefined || before === 'QUEUED' || before === 'CONFIGURING';
  return (state === 'QUEUED' || state === 'CONFIGURING') && wasBeingMade && object.status?.lastOperation === undefined;
}
