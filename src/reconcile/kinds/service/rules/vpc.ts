import { serviceId } from '../../../../cloud/wire/service.ts';
import { vpcId } from '../../../../cloud/wire/vpc.ts';
import { awaitEarlierChange, requestOnce, type Change } from '../../../decide/pending-change.ts';
import type { ShownService, ExistingService } from '../situation.ts';
import { awaitReference } from '../../../decide/await-reference.ts';
import { write } from '../../../step/step.ts';
import type { Rule } from '../../../decide/rule.ts';
import { withAttachment } from '../../../ledger/record.ts';
import { isAwaitingEffect } from '../../../situation/history.ts';

/** If this object attached the service, or if the spec names another VPC. (docs/safety.md, Changing) */
export const detachVpc: Change<ShownService> = {
  pending(situation) {
    const { vpc, id, record, attachment: attached } = situation;
    const wanted = wantedIn(vpc);
    if (wanted === undefined || attached === undefined || wanted === attached)
      return awaitEarlierChange(situation, {
        name: 'VPC',
        path: 'vpc',
        operations: ['attachServiceToVpc', 'detachServiceFromVpc'],
        shown: attached,
        wanted,
        reason: attached === 'none' ? 'AttachingVpc' : 'DetachingVpc',
        progress: (from, to) =>
          attached === 'none' ? `attaching to VPC ${to}` : `detaching from VPC ${from}`,
      });
    if (attached === 'none' || (wanted === 'none' && record.vpcAttachment !== attached))
      return undefined;
    return requestOnce(situation, {
      name: `detaching from VPC ${attached}`,
      path: 'vpc',
      change: {
        operation: 'detachServiceFromVpc',
        args: [serviceId.parse(id), { vpc_id: vpcId.parse(attached) }],
      },
      from: attached,
      wanted,
      reason: 'DetachingVpc',
      progress: `detaching from VPC ${attached}`,
      request: `detach the service from VPC ${attached}`,
      remedy: 'change spec.vpcRef or spec.vpcId',
    });
  },
};

/** The record is written first, since only an attachment of this object may be detached later. */
export const attachVpc: Change<ShownService> = {
  pending(situation) {
    const { vpc, id, record, attachment } = situation;
    if (vpc.state !== 'found' || attachment !== 'none') return undefined;
    const name = `attaching to VPC ${vpc.id}`;
    if (record.vpcAttachment !== vpc.id) {
      const noted = write(
        { type: 'writeRecord', record: withAttachment(record, vpc.id) },
        `VPC ${vpc.id} is about to be attached`,
      );
      return { name, path: 'vpc', step: noted };
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
};

/** Forgets an attachment that is over. The operator leaves a later attachment to the same VPC, since it is foreign. */
export const forgetAttachment: Rule<ExistingService> = ({
  isAtRest,
  record,
  vpc,
  attachment,
  lastOperation,
  asOf,
}) => {
  const { vpcAttachment: id } = record;
  const wanted = wantedIn(vpc);
  const isOver =
    attachment !== undefined && attachment !== id && (wanted === 'none' || wanted === attachment);
  if (
    id === undefined ||
    !isAtRest ||
    !isOver ||
    isAwaitingEffect(lastOperation, 'attachServiceToVpc', id, asOf)
  )
    return undefined;
  const message = `the service is not attached to VPC ${id} any more`;
  return write({ type: 'writeRecord', record: withAttachment(record, undefined) }, message);
};

/** The id of the VPC, `none`, or undefined while the VPC in the spec cannot be found. */
function wantedIn(vpc: ShownService['vpc']): string | undefined {
  if (vpc.state === 'found') return vpc.id;
  return vpc.state === 'none' ? 'none' : undefined;
}

/** Waits for the VPC that the spec names. */
export const awaitVpc: Rule<ExistingService> = ({ vpc }) => awaitReference(vpc);
