import { serviceId } from '../../../../cloud/wire/service.ts';
import { vpcId } from '../../../../cloud/wire/vpc.ts';
import { requestOnce, type Change } from '../../../decide/pending-change.ts';
import type { ShownService, ExistingService } from '../situation.ts';
import type { PendingChange } from '../../../situation/situation.ts';
import { awaitReference } from '../../../decide/unreadable-cloud.ts';
import { write, wait } from '../../../step/step.ts';
import type { Rule } from '../../../decide/rule.ts';
import { attemptOpenMs } from '../../../record/attempt.ts';
import { attachmentsIn, withAttachments } from '../../../record/record.ts';

/**
 * Detaches a service from a VPC that the spec no longer names: one that this object attached, or any if the spec names another. Otherwise a foreign
 * attachment is left. A VPC in the spec that cannot be found changes nothing.
 */
export const detachVpc: Change<ShownService> = {
  pending(situation) {
    const { vpc, id, record, attachment: attached } = situation;
    const wanted = wantedIn(vpc);
    if (wanted === undefined) return unseen(situation, 'detachServiceFromVpc');
    if (attached === undefined || wanted === attached) return undefined;
    if (attached === 'none' || (wanted === 'none' && !attachmentsIn(record).includes(attached))) return undefined;
    return requestOnce(situation, {
      name: `detaching from VPC ${attached}`,
      path: 'vpc',
      change: { operation: 'detachServiceFromVpc', args: [serviceId.parse(id), { vpc_id: vpcId.parse(attached) }] },
      from: attached,
      wanted,
      reason: 'DetachingVpc',
      progress: `detaching from VPC ${attached}`,
      request: `detach the service from VPC ${attached}`,
      remedy: 'change spec.vpcRef or spec.vpcId',
    });
  },
  progressAfter: ({ operation, wanted }) =>
    operation === 'detachServiceFromVpc'
      ? { reason: 'DetachingVpc', message: `detaching from its VPC, on the way to ${wanted}` }
      : undefined,
};

/** Attaches a service to the VPC in the spec. The record is written first, since only an attachment of this object may be detached later. */
export const attachVpc: Change<ShownService> = {
  pending(situation) {
    const { vpc, id, record, attachment } = situation;
    if (wantedIn(vpc) === undefined) return unseen(situation, 'attachServiceToVpc');
    if (vpc.state !== 'found' || attachment !== 'none') return undefined;
    const name = `attaching to VPC ${vpc.id}`;
    if (record.vpcAttachment !== vpc.id) {
      return {
        name,
        path: 'vpc',
        step: write(
          {
            type: 'writeRecord',
            record: withAttachments(record, [vpc.id, ...attachmentsIn(record).filter((earlier) => earlier !== vpc.id)]),
          },
          `VPC ${vpc.id} is about to be attached`,
        ),
      };
    }
    return requestOnce(situation, {
      name,
      path: 'vpc',
      change: { operation: 'attachServiceToVpc', args: [serviceId.parse(id), { vpc_id: vpc.id }] },
      from: 'none',
      wanted: vpc.id,
      reason: 'AttachingVpc',
      progress: name,
      request: `attach the service to VPC ${vpc.id}`,
      remedy: 'change spec.vpcRef or spec.vpcId',
    });
  },
  progressAfter: ({ operation, wanted }) =>
    operation === 'attachServiceToVpc' ? { reason: 'AttachingVpc', message: `attaching to VPC ${wanted}` } : undefined,
};

/** A request without effect is not over because the VPC in the spec cannot be found: it would be sent again each time that the VPC is found again. */
function unseen(
  { vpc, attachment, lastOperation: last }: ShownService,
  operation: 'attachServiceToVpc' | 'detachServiceFromVpc',
): PendingChange | undefined {
  if (last?.operation !== operation || last.from !== attachment || !('message' in vpc)) return undefined;
  const name = operation === 'attachServiceToVpc' ? `attaching to VPC ${last.wanted}` : `detaching from VPC ${last.from}`;
  return { name, operation, step: wait('WaitingForReference', vpc.message), isPostponed: true };
}

/**
 * An attachment is this object's until the cloud shows that its own detachment was carried out, or until no request for it can arrive any more. A later one is
 * somebody else's, and is left.
 */
export const forgetAttachments: Rule<ExistingService> = (situation) => {
  const { isAtRest, record, vpc, attachment, lastOperation: last, object } = situation;
  const wanted = wantedIn(vpc);
  // While the service moves, a list without either VPC may be an old one.
  const isMoved = wanted !== 'none' && attachment === wanted;
  // After a detachment for an earlier spec, it may have been attached there again.
  const isOfThisSpec = wanted === 'none' && last?.generation === object.metadata.generation;
  const isDetached = (id: string) => isOfThisSpec && last?.operation === 'detachServiceFromVpc' && last.from === id;
  const isLate = mayArriveForMs(situation) === 0;
  const over = attachmentsNowhere(situation).filter((id) => isMoved || isDetached(id) || isLate);
  if (!isAtRest || over.length === 0) return undefined;
  return write(
    {
      type: 'writeRecord',
      record: withAttachments(
        record,
        attachmentsIn(record).filter((id) => !over.includes(id)),
      ),
    },
    'the service is not attached any more to a VPC that it was attached to',
  );
};

/** Milliseconds until attachments that neither the spec nor the cloud has are over; undefined if there are none. */
export function attachmentsOverInMs(situation: ExistingService): number | undefined {
  return attachmentsNowhere(situation).length === 0 ? undefined : mayArriveForMs(situation);
}

/** The attachments of the record that neither the spec nor the cloud has. */
function attachmentsNowhere({ record, vpc, attachment }: ExistingService): readonly string[] {
  const wanted = wantedIn(vpc);
  if (attachment === undefined || wanted === undefined) return [];
  return attachmentsIn(record).filter((id) => id !== wanted && id !== attachment);
}

/** Milliseconds in which a request for what the spec named before may still arrive. */
function mayArriveForMs({ now, learned }: ExistingService): number {
  return Math.max(attemptOpenMs - (now - (learned.vpc?.since ?? now)), 0);
}

/** The VPC that the spec names, `none`, or undefined while it cannot be found. */
function wantedIn(vpc: ShownService['vpc']): string | undefined {
  if (vpc.state === 'found') return vpc.id;
  return vpc.state === 'none' ? 'none' : undefined;
}

/** The VPC in the spec cannot be found. The service is not detached for that, and all other changes come before. */
export const awaitVpc: Rule<ExistingService> = ({ vpc }) => awaitReference(vpc);
