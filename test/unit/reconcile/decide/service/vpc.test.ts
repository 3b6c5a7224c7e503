import { expect, test } from 'vitest';
import { vpcId } from '../../../../../src/cloud/wire/vpc.ts';
import { noon, recordOf, type GivenService } from '../../../../support/situation.ts';
import { decided, type Row } from '../../../../support/decided.ts';
import { asked, available, paused, recorded, stopped } from '../../../../support/steps.ts';

/**
 * The service attaches to the VPC in the spec. It detaches only from a VPC that this object attached, or that
 * blocks the wanted VPC.
 */

const wanted = (id: string): GivenService => ({ vpc: { state: 'found', id: vpcId.parse(id) } });
const waiting: GivenService = {
  vpc: { state: 'waiting', message: 'spec.vpcRef "prod" not found in namespace "shop"' },
};
const refused: GivenService = {
  vpc: { state: 'refused', message: 'spec.vpcId "vpc-1" may be anything' },
};
const recordedAs = (id: string): GivenService => ({
  record: recordOf('svc-1', { vpcAttachment: id }),
});
const attached = (id: string) => ({
  vpcEndpoint: { host: 'vpc.example.com', port: 5432, vpc_id: id },
});
/** A shape that the API does not document. */
const strange = { vpcEndpoint: ['somewhere'] };

const waited = {
  type: 'wait',
  reason: 'WaitingForReference',
  message: 'spec.vpcRef "prod" not found in namespace "shop"',
  afterMs: 30_000,
};
const attach = asked(
  { operation: 'attachServiceToVpc', body: { vpc_id: 'vpc-1' } },
  'none',
  'vpc-1',
  'AttachingVpc',
  'attaching to VPC vpc-1',
);
const detach = (id: string, to: string) =>
  asked(
    { operation: 'detachServiceFromVpc', body: { vpc_id: id } },
    id,
    to,
    'DetachingVpc',
    `detaching from VPC ${id}`,
  );
/** The cloud accepted to attach the service to this VPC, so many milliseconds ago. */
const accepted = (id: string, agoMs: number): GivenService => ({
  lastOperation: { operation: 'attachServiceToVpc', from: 'none', wanted: id, at: noon - agoMs },
});
const forgotten = recorded(recordOf('svc-1'), 'the service is not attached to VPC vpc-1 any more');
const begun = (id: string) =>
  recorded(recordOf('svc-1', { vpcAttachment: id }), `VPC ${id} is about to be attached`);
const working = {
  type: 'wait',
  reason: 'Creating',
  message: 'the cloud is creating the service (CONFIGURING)',
  inProgressSince: Date.parse('2026-11-21T09:00:00Z'),
};
const follows = (name: string) =>
  stopped(
    `the service is stopped; set spec.powerState to Running to start it; when it runs again: ${name}`,
  );

const attaching: readonly Row[] = [
  ['the record is written before the request', wanted('vpc-1'), begun('vpc-1')],
  [
    'the record of an earlier attachment is replaced before the request',
    { ...wanted('vpc-1'), ...recordedAs('vpc-2') },
    begun('vpc-1'),
  ],
  ['a recorded attachment is requested', { ...wanted('vpc-1'), ...recordedAs('vpc-1') }, attach],
  [
    'a null in the reply counts as no attachment',
    { ...wanted('vpc-1'), ...recordedAs('vpc-1'), seen: { vpcEndpoint: null } },
    attach,
  ],
  [
    'an attachment to the wanted VPC is left',
    { ...wanted('vpc-1'), ...recordedAs('vpc-1'), seen: attached('vpc-1') },
    available,
  ],
  [
    'a foreign attachment to the wanted VPC is not recorded',
    { ...wanted('vpc-1'), seen: attached('vpc-1') },
    available,
  ],
  [
    'a recorded attachment in an unknown form is left',
    { ...wanted('vpc-1'), ...recordedAs('vpc-1'), seen: strange },
    available,
  ],
  [
    'an attachment in an unknown form without a record is left',
    { ...wanted('vpc-1'), seen: strange },
    available,
  ],
  [
    'a stopped service is attached when it runs again',
    { ...wanted('vpc-1'), seen: paused },
    follows('attaching to VPC vpc-1'),
  ],
  [
    'a stopped service is attached when it runs again, as the record says',
    { ...wanted('vpc-1'), ...recordedAs('vpc-1'), seen: paused },
    follows('attaching to VPC vpc-1'),
  ],
];

const detaching: readonly Row[] = [
  [
    'a recorded attachment is removed if the spec names no VPC',
    { ...recordedAs('vpc-1'), seen: attached('vpc-1') },
    detach('vpc-1', 'none'),
  ],
  ['a foreign attachment is left if the spec names no VPC', { seen: attached('vpc-1') }, available],
  [
    'a recorded attachment is removed if the spec names a second VPC',
    { ...wanted('vpc-1'), ...recordedAs('vpc-2'), seen: attached('vpc-2') },
    detach('vpc-2', 'vpc-1'),
  ],
  [
    'a foreign attachment is removed if the spec names a second VPC',
    { ...wanted('vpc-1'), seen: attached('vpc-2') },
    detach('vpc-2', 'vpc-1'),
  ],
  [
    'an attachment is left if the VPC in the spec is not found',
    { ...waiting, ...recordedAs('vpc-1'), seen: attached('vpc-1') },
    waited,
  ],
  [
    'an attachment is left if the VPC in the spec is refused',
    { ...refused, ...recordedAs('vpc-1'), seen: attached('vpc-1') },
    { type: 'stall', reason: 'NotAllowed', message: 'spec.vpcId "vpc-1" may be anything' },
  ],
  [
    'a recorded attachment in an unknown form is removed',
    { ...recordedAs('vpc-1'), seen: strange },
    detach('vpc-1', 'none'),
  ],
  ['an attachment in an unknown form without a record is left', { seen: strange }, available],
  [
    'a stopped service is detached when it runs again',
    { ...recordedAs('vpc-1'), seen: { ...paused, ...attached('vpc-1') } },
    follows('detaching from VPC vpc-1'),
  ],
];

const afterwards: readonly Row[] = [
  ['is dropped without a VPC in spec and cloud', recordedAs('vpc-1'), forgotten],
  [
    'stays while an accepted attachment may show',
    { ...recordedAs('vpc-1'), ...accepted('vpc-1', 29_999) },
    {
      type: 'wait',
      reason: 'AttachingVpc',
      message:
        'attaching to VPC vpc-1, as the spec said before; then the operator applies the present spec',
      inProgressSince: noon - 29_999,
      afterMs: 2_000,
    },
  ],
  [
    'is dropped if an accepted attachment had no effect',
    { ...recordedAs('vpc-1'), ...accepted('vpc-1', 30_000) },
    forgotten,
  ],
  [
    'is dropped though a later attachment was accepted',
    { ...recordedAs('vpc-1'), ...accepted('vpc-2', 0) },
    forgotten,
  ],
  [
    'stays while the cloud works on the service',
    { ...recordedAs('vpc-1'), seen: { status: 'CONFIGURING' } },
    working,
  ],
  [
    'is dropped without a VPC in the spec of a service in a second VPC',
    { ...recordedAs('vpc-1'), seen: attached('vpc-2') },
    forgotten,
  ],
  [
    'is requested again if the cloud shows no attachment',
    { ...wanted('vpc-1'), ...recordedAs('vpc-1') },
    attach,
  ],
  [
    'stays while the service is attached',
    { ...wanted('vpc-1'), ...recordedAs('vpc-1'), seen: attached('vpc-1') },
    available,
  ],
  ['stays while the VPC in the spec is not found', { ...waiting, ...recordedAs('vpc-1') }, waited],
  [
    'is dropped if a foreign client attached the service to the wanted VPC',
    { ...wanted('vpc-2'), ...recordedAs('vpc-1'), seen: attached('vpc-2') },
    forgotten,
  ],
  [
    'stays until the service is detached from a third VPC',
    { ...wanted('vpc-2'), ...recordedAs('vpc-1'), seen: attached('vpc-3') },
    detach('vpc-3', 'vpc-2'),
  ],
];

test.each(attaching)('attaching a service to a VPC: %s', (_, given, expected) => {
  expect(decided(given)).toEqual(expected);
});

test.each(detaching)('detaching a service from a VPC: %s', (_, given, expected) => {
  expect(decided(given)).toEqual(expected);
});

test.each(afterwards)('the recorded attachment of a service: %s', (_, given, expected) => {
  expect(decided(given)).toEqual(expected);
});
