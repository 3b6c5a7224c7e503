import { describe, expect, test } from 'vitest';
import { decideVpc } from '../../../../../src/reconcile/kinds/vpc/kind.ts';
import { notMade, vpcSituation, type GivenVpc } from '../../../../support/situation-of-others.ts';
import { noon, recordOf } from '../../../../support/situation.ts';
import { changing } from '../../../../support/steps.ts';
import { stepLike, type ExpectedStep } from '../../../../support/step-like.ts';
import { renaming } from './vpc-with-peerings.ts';

type Row = readonly [sentence: string, given: GivenVpc, expected: ExpectedStep];

const available = { type: 'done', reason: 'Available', message: 'the VPC exists' } as const;
const accepted = (agoMs: number) => ({
  operation: 'renameVpc',
  from: 'prod',
  wanted: 'new',
  generation: 1,
  at: noon - agoMs,
});
const notApplied = {
  type: 'stall',
  reason: 'NotApplied',
  retryAfterMs: 600_000,
  message: 'the cloud accepted to rename the VPC to "new" but still shows prod',
} as const;

describe('the name of a VPC', () => {
  test.each<Row>([
    ['becomes the name of the spec', { spec: { name: 'new' } }, renaming],
    [
      'stays if the spec has no name',
      { spec: { name: undefined }, seen: { name: 'prod-abcdef' } },
      available,
    ],
    [
      'becomes the name of the spec if the cloud shows no name',
      { seen: { name: undefined } },
      {
        type: 'call',
        reason: 'Renaming',
        action: changing('renameVpc', ['vpc-1', { name: 'prod' }], 'none', 'prod'),
        message: 'renaming the VPC from "none" to "prod"',
      },
    ],
    [
      'is waited for while lists may lag',
      { spec: { name: 'new' }, lastOperation: accepted(5_000) },
      {
        type: 'wait',
        reason: 'Renaming',
        inProgressSince: noon - 5_000,
        afterMs: 25_000,
        message: 'renaming the VPC from "prod" to "new"',
      },
    ],
    [
      'is not requested again if the rename had no effect',
      { spec: { name: 'new' }, lastOperation: accepted(30_000) },
      notApplied,
    ],
    [
      'is requested again if the spec has changed since a rename without effect',
      { spec: { name: 'new' }, lastOperation: { ...accepted(30_000), generation: 0 } },
      renaming,
    ],
    [
      'is requested again if a foreign client changed the name back',
      { spec: { name: 'new' }, lastOperation: { ...accepted(5_000), from: 'old' } },
      renaming,
    ],
    [
      'is left by an object that only observes, and the message names the difference',
      { spec: { name: 'new', managementPolicy: 'Observe' } },
      {
        type: 'done',
        reason: 'Observed',
        differs: true,
        message: 'it differs: name is prod, not new',
      },
    ],
    [
      'is left by an object that is suspended',
      { spec: { name: 'new', suspend: true } },
      {
        type: 'suspended',
        differs: true,
        message: 'set it to false to go on; it differs: name is prod, not new',
      },
    ],
  ])('%s', (_, given, expected) => {
    expect(decideVpc(vpcSituation(given))).toEqual(stepLike(expected));
  });
});

const request = { cidr: '10.0.0.0/16', region_code: 'eu-central-1' };
const created = {
  type: 'create',
  creation: { operation: 'createVpc', ids: [], body: request },
  name: { kind: 'given', name: 'prod' },
  sameNameIds: [],
  record: { projectId: 'prj-1' },
  recordOnSuccess: {},
} as const;
const creating = {
  type: 'call',
  reason: 'Creating',
  message: 'creating the VPC 10.0.0.0/16 in eu-central-1',
} as const;

describe('a missing VPC', () => {
  test.each<Row>([
    ['is created', notMade, { ...creating, action: created }],
    [
      'is created under a generated unique name if the spec has no name',
      { ...notMade, spec: { name: undefined } },
      { ...creating, action: { ...created, name: { kind: 'ours', prefix: 'prod' } } },
    ],
    [
      'is created beside a VPC with its name if create-anyway says so',
      {
        ...notMade,
        annotations: { 'managed-db.io/create-anyway': 'true' },
        sameNames: { state: 'read', ids: ['vpc-9'], unclaimed: ['vpc-9'] },
      },
      { ...creating, action: { ...created, sameNameIds: ['vpc-9'] } },
    ],
    [
      'is not created without a range of addresses',
      { ...notMade, spec: { cidr: undefined } },
      { type: 'stall', reason: 'Rejected', message: 'spec.cidr cannot be read: it is missing' },
    ],
    [
      'is not created without a region',
      { ...notMade, spec: { regionCode: undefined } },
      {
        type: 'stall',
        reason: 'Rejected',
        message: 'spec.regionCode cannot be read: it is missing',
      },
    ],
    [
      'and was lost is recreated with allow-recreate, and keeps its peerings in the record until then',
      {
        cloud: { state: 'absent' },
        annotations: { 'managed-db.io/allow-recreate': 'vpc-1' },
        record: { peerings: { '1/eu/a': { id: 'p1' } } },
      },
      {
        ...creating,
        action: {
          ...created,
          record: recordOf('vpc-1', { peerings: { '1/eu/a': { id: 'p1' } } }),
        },
      },
    ],
    [
      'is looked for again while its absence is not proven',
      { cloud: { state: 'missing', again: noon + 2_000 } },
      {
        type: 'wait',
        reason: 'WaitingForCloud',
        afterMs: 2_000,
        message: 'the cloud does not show VPC vpc-1 yet',
      },
    ],
  ])('%s', (_, given, expected) => {
    expect(decideVpc(vpcSituation(given))).toEqual(stepLike(expected));
  });
});

test('the record of an adopted VPC has only the claim', () => {
  const step = decideVpc(vpcSituation({ ...notMade, adoption: { state: 'found', id: 'vpc-9' } }));
  const record = {
    id: 'vpc-9',
    outcome: 'adopted',
    projectId: 'prj-1',
  };
  expect(step).toEqual(
    stepLike({
      type: 'write',
      reason: 'Adopting',
      action: { type: 'adopt', noun: 'VPC', id: 'vpc-9', record },
      message: 'taking over VPC vpc-9',
    }),
  );
});
