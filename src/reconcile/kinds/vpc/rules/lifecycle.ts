import type { Rule } from '../../../decide/rule.ts';
import { unreadableCloud } from '../../../decide/unreadable-cloud.ts';
import { createAction } from '../../../decide/rules/missing.ts';
import { bodyOf, wait, call, askPerson, write } from '../../../step/step.ts';
import { cutToFit, listed } from '../../../step/short-message.ts';
import { intervals } from '../../../step/intervals.ts';
import {
  hasPeeringFailed,
  isAccepted,
  peeringPlan,
  wantedPeerings,
  type PeeringTask,
} from '../peering-plan.ts';
import type {
  DeletingVpc,
  ExistingVpc,
  MissingVpc,
  ReadPeerings,
  ShownPeerings,
  ShownVpc,
  VpcSituation,
} from '../situation.ts';
import { vpcId } from '../../../../cloud/wire/vpc.ts';
import { refusedEarlier, type Change, withNextVisitIn } from '../../../decide/pending-change.ts';
import type { PendingChange } from '../../../situation/situation.ts';
import type { ReconcilingReason } from '../../../../resources/condition.ts';
import { peeringId } from '../../../../cloud/wire/peering.ts';
import { withPeering } from '../../../ledger/record.ts';
import { isAwaitingEffect } from '../../../situation/history.ts';
import { deletedInVain, deletionRecord } from '../../../decide/rules/deleting.ts';

/** Creates the VPC that the spec describes. */
export const createVpc: Rule<MissingVpc> = (situation) => {
  const { object, key } = situation;
  const { cidr, regionCode } = object.spec;
  if (cidr === undefined || regionCode === undefined) return undefined; // the spec was rejected for that
  return call(
    createAction(
      situation,
      {
        operation: 'createVpc',
        ids: [],
        body: bodyOf<'createVpc'>({ cidr, region_code: regionCode }),
      },
      { projectId: key.projectId },
    ),
    {
      reason: 'Creating',
      message: `creating the VPC ${cidr} in ${regionCode}`,
    },
  );
};

/** The message of Ready for a VPC, and the begin of its message in Synced. */
export const vpcExists = 'the VPC exists';

/** Reports a VPC whose peerings are active. */
export const ready: Rule<ExistingVpc> = ({ object, peerings }) => {
  const count = peerings.state === 'read' ? (object.spec.peerings ?? []).length : 0;
  const withPeerings =
    count === 0
      ? ''
      : count === 1
        ? ', its peering is active'
        : `, its ${count} peerings are active`;
  return { type: 'done', reason: 'Available', message: vpcExists + withPeerings };
};

/** Reports peerings that cannot be read. Without them, nothing about the peerings is decided. */
export const awaitPeerings: Rule<VpcSituation> = (situation) => {
  const { peerings } = situation;
  if (peerings.state !== 'unknown') return undefined;
  const lack = peerings.missing ? `, whose list lacks ${listed(peerings.missing)},` : '';
  return unreadableCloud(situation, peerings.error, `the peerings of the VPC${lack}`);
};

/** A request that is refused, or that waits, does not hold up the rest. */
export const createPeerings: Change<ShownVpc> = {
  pending(situation) {
    const { peerings } = situation;
    if (peerings.state !== 'read') return undefined;
    const requests = tasksOf(situation, peerings).flatMap((task) =>
      task.do === 'request' || task.do === 'awaitAnswer' ? [requestFor(task, situation)] : [],
    );
    return requests.find(({ blockedForMs }) => blockedForMs === undefined) ?? requests[0];
  },
};

function tasksOf(
  { object, record }: ShownVpc,
  { peerings: shown, open }: ReadPeerings,
): readonly PeeringTask[] {
  return peeringPlan({ wanted: object.spec.peerings ?? [], record, shown, open });
}

type Request = Extract<PeeringTask, { readonly do: 'request' | 'awaitAnswer' }>;

function requestFor(task: Request, situation: ShownVpc): PendingChange {
  const { key, address } = task;
  const name = 'peerings';
  const refused = refusedEarlier(situation, 'createPeering', key);
  if (refused) return { name, ...refused };
  if (task.do === 'awaitAnswer') {
    const unanswered = `the request for the peering with ${key} had no answer: the operator looks for it for two minutes`;
    return { name, step: wait('PeeringPending', unanswered), blockedForMs: intervals.forTraceMs };
  }
  const request = {
    peer_account_id: address.peerAccountId,
    peer_region_code: address.peerRegionCode,
    peer_vpc_id: address.peerVpcId,
  };
  const { id, record } = situation;
  return {
    name,
    step: call(
      { type: 'createPeering', vpcId: vpcId.parse(id), key, request, record },
      { reason: 'PeeringPending', message: `asking for the peering with ${key}` },
    ),
  };
}

/** A person must accept a peering, which may take days. After this time it is polled only once a minute. */
const pollPeeringsForMs = 600_000;

/** Reports a failed peering, and waits for the other side of a peering to accept it. */
export const peeringsReady: Rule<Pick<VpcSituation, 'object' | 'peerings' | 'record' | 'now'>> = (
  situation,
) => {
  const wanted = wantedPeerings(situation);
  const failed = wanted.find(({ peering }) => peering && hasPeeringFailed(peering));
  if (failed) {
    const problem = `the peering with ${failed.key} failed: `;
    const advice =
      '; correct the other side, then remove the peering from spec.peerings and add it again';
    const why = cutToFit(
      failed.peering?.error_message ?? 'the cloud gives no reason',
      `${problem}""${advice}`,
    );
    return askPerson('PeeringFailed', `${problem}"${why}"${advice}`);
  }
  const waiting = wanted.filter(({ peering }) => !peering || !isAccepted(peering));
  if (waiting.length === 0) return undefined;
  const names = listed(
    waiting.map(({ key, peering }) => `${key} (${peering?.status ?? 'no status'})`),
  );
  const { peerings, now } = situation;
  const since = peerings.state === 'read' ? peerings.since : now;
  const message = `waiting for the other side to accept the peering with ${names}`;
  return wait(
    'PeeringPending',
    message,
    now - since < pollPeeringsForMs ? { inProgressSince: since } : {},
  );
};

/** A peering that is gone leaves the record, so that the operator requests it again if the spec names it. */
export const removeUnwantedPeerings: Change<ShownVpc> = {
  pending(situation) {
    const { peerings } = situation;
    if (peerings.state !== 'read') return undefined;
    const tasks = tasksOf(situation, peerings);
    return nextOf(tasks.flatMap((task) => removalFor(task, peerings, situation) ?? []));
  },
};

function removalFor(
  task: PeeringTask,
  peerings: ReadPeerings,
  situation: ShownVpc,
): PendingChange | undefined {
  const { record } = situation;
  const name = 'peerings';
  const forget = (message: string) => ({
    name,
    step: write({ type: 'writeRecord', record: withPeering(record, task.key, undefined) }, message),
  });
  switch (task.do) {
    case 'forgetRequest':
      return forget(`the request for the peering with ${task.key} is over`);
    case 'forgetPeering':
      return forget(`the peering with ${task.key} is gone from the cloud`);
    case 'remove':
      return { name, ...removeOne(situation, peerings, 'PeeringPending', task) };
    case 'request':
    case 'awaitAnswer':
      return undefined;
  }
}

/** The removals do not wait for each other, since each takes as long as lists lag. A refused removal comes last. */
function nextOf<Removal extends Pick<PendingChange, 'step' | 'blockedForMs'>>(
  removals: readonly Removal[],
): Removal | undefined {
  const possible = removals.filter(({ blockedForMs }) => blockedForMs === undefined);
  return possible.find(({ step }) => step.type !== 'wait') ?? possible[0] ?? removals[0];
}

function removeOne(
  situation: ShownVpc | DeletingVpc,
  { acceptedAt, asOf }: ShownPeerings,
  reason: ReconcilingReason,
  { key, id }: { readonly key: string; readonly id: string },
): Pick<PendingChange, 'step' | 'blockedForMs'> {
  const at = acceptedAt.get(id);
  // Other changes may have been accepted since. A new process knows only the last change.
  const last =
    at === undefined ? situation.lastOperation : { operation: 'deletePeering', wanted: id, at };
  const message = `removing the peering with ${key}`;
  if (isAwaitingEffect(last, 'deletePeering', id, asOf))
    return {
      step: wait(reason, message, {
        inProgressSince: last?.at ?? situation.now,
        afterMs: intervals.forCloudMs,
      }),
    };
  const refused = refusedEarlier(situation, 'deletePeering', id);
  if (refused) return refused;
  const inVain = deletedInVain(
    { ...situation, lastOperation: last },
    'deletePeering',
    id,
    `the peering with ${key}`,
  );
  return {
    step: call(
      { type: 'deletePeering', vpcId: vpcId.parse(situation.id), id: peeringId.parse(id), inVain },
      { reason, message },
    ),
  };
}

/**
 * Removes the peerings that this object made, before the DELETE of the VPC. Peerings of other
 * creators stay. The record says that the deletion has begun before the first removal.
 */
export const removePeerings: Rule<DeletingVpc> = (situation) => {
  const { deletion, id: vpc, peerings, record } = situation;
  const shown =
    peerings.state === 'unknown'
      ? peerings.shown
      : peerings.state === 'read'
        ? peerings
        : undefined;
  if (!shown) return awaitPeerings(situation);
  const made = peeringPlan({ wanted: [], record, shown: shown.peerings, open: [] }).filter(
    (task) => task.do === 'remove',
  );
  if (made.length > 0 && !deletion.started) {
    const known = made.flatMap(({ id }) => (shown.listed.has(id) ? [id] : []));
    const begun = deletionRecord(situation, vpc, known);
    return write({ type: 'writeRecord', record: begun }, `the deletion of the VPC ${vpc} begins`);
  }
  const next = nextOf(made.map((each) => removeOne(situation, shown, 'Deleting', each)));
  if (!next) return awaitPeerings(situation);
  return next.blockedForMs === undefined
    ? next.step
    : withNextVisitIn(next.step, next.blockedForMs);
};
