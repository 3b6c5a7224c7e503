import { expect, test } from 'vitest';
import { vpcId } from '../../../../../src/cloud/wire/vpc.ts';
import { noon, recordOf, situation, type GivenService } from '../../../../support/situation.ts';
import { decided, type Row } from '../../../../support/decided.ts';
import { asked, available, paused, recorded, stopped } from '../../../../support/steps.ts';

/**
 * The service attaches to the VPC in the spec. It detaches only from a VPC that this object attached, or that
 * blocks the wanted VPC.
 */

const wanted = (id: string): GivenService => ({ vpc: { state: 'found', id: vpcId.parse(id) } });
const waiting: GivenService = { vpc: { state: 'waiting', message: 'spec.vpcRef "prod" not found in namespace "shop"' } };
const refused: GivenService = { vpc: { state: 'refused', message: 'spec.vpcId "vpc-1" may be anything' } };
const recordedAs = (id: string): GivenService => ({ record: recordOf('svc-1', { vpcAttachment: id }) });
const attached = (id: string) => ({ vpcEndpoint: { host: 'vpc.example.com', port: 5432, vpc_id: id } });
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
  asked({ operation: 'detachServiceFromVpc', body: { vpc_id: id } }, id, to, 'DetachingVpc', `detaching from VPC ${id}`);
/** The spec has named this VPC for `ms` milliseconds. */
const wantedFor = (ms: number, id = 'none'): GivenService => ({
  learned: { ...situation().learned, vpc: { wanted: id, since: noon - ms } },
});
/** @param generation of the spec that requested the detachment; 1 is the present generation */
const detachedFrom = (id: string, to = 'none', generation = 1): GivenService => ({
  lastOperation: { operation: 'detachServiceFromVpc', from: id, wanted: to, generation, at: noon - 60_000 },
});
/** All is as wanted, and an attachment is over after this time. */
const overIn = (afterMs: number) => ({ ...available, afterMs });
const forgotten = recorded(recordOf('svc-1'), 'the service is not attached to VPC vpc-1 any more');
const begun = (id: string) => recorded(recordOf('svc-1', { vpcAttachment: id }), `VPC ${id} is about to be attached`);
const waitsFor = (afterMs: number) => ({
  type: 'wait',
  reason: 'AttachingVpc',
  message: 'attaching to VPC vpc-1 waits: the service may still be attached to VPC vpc-2, by an earlier request',
  afterMs,
});
const follows = (name: string) =>
  stopped(`the service is stopped; set spec.powerState to Running to start it; when it runs again: ${name}`);

const attaching: readonly Row[] = [
  ['the record says so first', wanted('vpc-1'), begun('vpc-1')],
  ['an earlier request for another VPC may still arrive: it waits', { ...wanted('vpc-1'), ...recordedAs('vpc-2') }, waitsFor(120_000)],
  [
    'an earlier request for another VPC may arrive for a second more: it waits',
    { ...wanted('vpc-1'), ...recordedAs('vpc-2'), ...wantedFor(119_000, 'vpc-1') },
    waitsFor(1_000),
  ],
  [
    'no earlier request for another VPC can arrive any more',
    { ...wanted('vpc-1'), ...recordedAs('vpc-2'), ...wantedFor(120_000, 'vpc-1') },
    begun('vpc-1'),
  ],
  [
    'the cloud has carried out the detachment from another VPC for this spec',
    { ...wanted('vpc-1'), ...recordedAs('vpc-2'), ...detachedFrom('vpc-2', 'vpc-1') },
    begun('vpc-1'),
  ],
  [
    'the cloud has carried out the detachment from another VPC for an earlier spec: it waits',
    { ...wanted('vpc-1'), ...recordedAs('vpc-2'), ...detachedFrom('vpc-2', 'vpc-1', 0) },
    waitsFor(120_000),
  ],
  ['the record says so: it is attached', { ...wanted('vpc-1'), ...recordedAs('vpc-1') }, attach],
  ['a null is no attachment', { ...wanted('vpc-1'), ...recordedAs('vpc-1'), seen: { vpcEndpoint: null } }, attach],
  ['it is attached there', { ...wanted('vpc-1'), ...recordedAs('vpc-1'), seen: attached('vpc-1') }, available],
  ['somebody else has attached it there: nothing is noted', { ...wanted('vpc-1'), seen: attached('vpc-1') }, available],
  ['it is attached in an unknown shape, by this object', { ...wanted('vpc-1'), ...recordedAs('vpc-1'), seen: strange }, available],
  ['it is attached in an unknown shape, by nobody knows whom', { ...wanted('vpc-1'), seen: strange }, available],
  ['a stopped service is attached when it runs again', { ...wanted('vpc-1'), seen: paused }, follows('attaching to VPC vpc-1')],
  [
    'a stopped service is attached when it runs again, as the record says',
    { ...wanted('vpc-1'), ...recordedAs('vpc-1'), seen: paused },
    follows('attaching to VPC vpc-1'),
  ],
];

const detaching: readonly Row[] = [
  ['the spec names none, and this object attached it', { ...recordedAs('vpc-1'), seen: attached('vpc-1') }, detach('vpc-1', 'none')],
  ['the spec names none, and somebody else attached it: it is left', { seen: attached('vpc-1') }, available],
  [
    'the spec names none, and this object attached it elsewhere: it is left',
    { ...recordedAs('vpc-2'), seen: attached('vpc-1') },
    overIn(120_000),
  ],
  [
    'the spec names another than this object attached',
    { ...wanted('vpc-1'), ...recordedAs('vpc-2'), seen: attached('vpc-2') },
    detach('vpc-2', 'vpc-1'),
  ],
  ['the spec names another than somebody else attached', { ...wanted('vpc-1'), seen: attached('vpc-2') }, detach('vpc-2', 'vpc-1')],
  ['the VPC in the spec is not found: nothing is detached', { ...waiting, ...recordedAs('vpc-1'), seen: attached('vpc-1') }, waited],
  [
    'the VPC in the spec is refused: nothing is detached',
    { ...refused, ...recordedAs('vpc-1'), seen: attached('vpc-1') },
    { type: 'stall', reason: 'NotAllowed', message: 'spec.vpcId "vpc-1" may be anything' },
  ],
  ['it is attached in an unknown shape, and this object did that', { ...recordedAs('vpc-1'), seen: strange }, detach('vpc-1', 'none')],
  ['it is attached in an unknown shape, and nobody knows who did that: it is left', { seen: strange }, available],
  [
    'a stopped service is detached when it runs again',
    { ...recordedAs('vpc-1'), seen: { ...paused, ...attached('vpc-1') } },
    follows('detaching from VPC vpc-1'),
  ],
];

const afterwards: readonly Row[] = [
  ['it is detached, but not by this object: a request for it may still arrive', recordedAs('vpc-1'), overIn(120_000)],
  [
    'it is detached, and this object did that: a later attachment is not its own',
    { ...recordedAs('vpc-1'), ...detachedFrom('vpc-1') },
    forgotten,
  ],
  [
    'this object detached it, for an earlier spec: it may have been attached there again',
    { ...recordedAs('vpc-1'), ...detachedFrom('vpc-1', 'none', 0) },
    overIn(120_000),
  ],
  ['it is detached from another one', { ...recordedAs('vpc-1'), ...detachedFrom('vpc-2') }, overIn(120_000)],
  ['it is not attached for two minutes in which the spec names none', { ...recordedAs('vpc-1'), ...wantedFor(120_000) }, forgotten],
  ['it is not attached for less', { ...recordedAs('vpc-1'), ...wantedFor(119_999) }, overIn(1)],
  [
    'it is stopped, and not attached for less',
    { ...recordedAs('vpc-1'), ...wantedFor(119_999), seen: paused },
    { ...stopped('the service is stopped; set spec.powerState to Running to start it'), afterMs: 1 },
  ],
  ['it is somewhere else for two minutes', { ...recordedAs('vpc-1'), ...wantedFor(120_000), seen: attached('vpc-2') }, forgotten],
  [
    'it is shown nowhere for long while the spec names it',
    { ...wanted('vpc-1'), ...recordedAs('vpc-1'), ...wantedFor(120_000, 'vpc-1') },
    attach,
  ],
  [
    'it is attached for long',
    { ...wanted('vpc-1'), ...recordedAs('vpc-1'), ...wantedFor(120_000, 'vpc-1'), seen: attached('vpc-1') },
    available,
  ],
  ['the VPC in the spec is not found for two minutes', { ...waiting, ...recordedAs('vpc-1'), ...wantedFor(120_000, 'waiting') }, waited],
  [
    'it is in the wanted VPC, to which another client attached it',
    { ...wanted('vpc-2'), ...recordedAs('vpc-1'), seen: attached('vpc-2') },
    forgotten,
  ],
  ['it is detached, and the wanted VPC is not found', { ...waiting, ...recordedAs('vpc-1') }, waited],
];

test.each(attaching)('attaching: %s', (_, given, expected) => {
  expect(decided(given)).toEqual(expected);
});

test.each(detaching)('detaching: %s', (_, given, expected) => {
  expect(decided(given)).toEqual(expected);
});

test.each(afterwards)('afterwards: %s', (_, given, expected) => {
  expect(decided(given)).toEqual(expected);
});
