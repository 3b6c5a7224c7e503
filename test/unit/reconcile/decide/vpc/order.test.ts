import { describe, expect, test } from 'vitest';
import { CloudError } from '../../../../../src/cloud/cloud-error.ts';
import { stall } from '../../../../../src/reconcile/step/step.ts';
import { decideVpc } from '../../../../../src/reconcile/kinds/vpc/kind.ts';
import { layered, type Layer } from '../../../../support/layers.ts';
import { noon } from '../../../../support/situation.ts';
import { notMade, vpcSituation, type GivenVpc } from '../../../../support/situation-of-others.ts';
import { stepLike } from '../../../../support/step-like.ts';
import { whoseItIs } from '../owner-rows.ts';
import { a, b, peering, unanswered } from './vpc-with-peerings.ts';
import { refusalKey } from '../../../../../src/reconcile/step/outcome.ts';

/** Each row holds all that stands below it, too, and goes first. */

const read = {
  state: 'read',
  open: [],
  listed: new Set<string>(),
  acceptedAt: new Map(),
  asOf: noon,
  since: noon,
} as const;
const c = { peerAccountId: '3', peerRegionCode: 'eu', peerVpcId: 'c' };

describe('the decision about an existing VPC follows the first applicable situation:', () => {
  const rows = layered<GivenVpc>([
    ...whoseItIs,
    [
      'a field that cannot be read',
      { spec: { cidr: 7 } },
      { type: 'stall', reason: 'Rejected', message: 'the operator changes nothing' },
    ],
    [
      'Observe',
      { spec: { managementPolicy: 'Observe' } },
      {
        type: 'done',
        reason: 'Observed',
        message: 'the VPC is observed and never changed; it differs: peerings',
      },
    ],
    [
      'a peering to be removed',
      {
        record: { peerings: { '1/eu/a': { id: 'p1' }, '2/eu/b': { id: 'p2' } } },
        peerings: { ...read, peerings: [peering('p1', a, { status: 'failed' }), peering('p2', b)] },
      },
      {
        type: 'call',
        reason: 'PeeringPending',
        message: 'removing the peering with 2/eu/b; then: peerings, name',
      },
    ],
    [
      'a peering to request',
      {
        spec: { peerings: [a, c] },
        record: { peerings: {} },
        peerings: { ...read, peerings: [peering('p1', a, { status: 'failed' })] },
      },
      {
        type: 'call',
        reason: 'PeeringPending',
        message: 'asking for the peering with 3/eu/c; then: name',
      },
    ],
    [
      'a changed name in the spec',
      { spec: { name: 'newer' } },
      {
        type: 'call',
        reason: 'Renaming',
        message: 'renaming the VPC from "prod" to "newer"; then: peerings',
      },
    ],
    [
      'a request for a peering without an answer',
      {
        spec: { peerings: [a] },
        record: { peerings: { '1/eu/a': unanswered } },
        peerings: { ...read, open: ['1/eu/a'], peerings: [] },
      },
      { type: 'wait', reason: 'PeeringPending', message: 'had no answer' },
    ],
    [
      'a name that the cloud refused',
      {
        spec: { name: 'new' },
        refusals: new Map([
          [
            refusalKey('renameVpc', 'new'),
            {
              generation: 1,
              again: noon + 60_000,
              times: 1,
              isUnclear: false,
              step: stall('Rejected', 'no such name'),
            },
          ],
        ]),
      },
      { type: 'stall', reason: 'Rejected', message: 'no such name' },
    ],
    [
      'peerings that cannot be read',
      {
        peerings: {
          state: 'unknown',
          error: new CloudError({
            operation: 'listPeerings',
            kind: 'timeout',
            sent: true,
            fromApi: false,
          }),
        },
      },
      {
        type: 'keep',
        delayedReport: { type: 'wait', reason: 'CloudUnavailable', afterMs: 5_000 },
        message: 'the cloud did not answer in time',
      },
    ],
    [
      'a peering that failed',
      {
        spec: { peerings: [a] },
        record: { peerings: { '1/eu/a': { id: 'p1' } } },
        peerings: { ...read, peerings: [peering('p1', a, { status: 'failed' })] },
      },
      { type: 'stall', reason: 'PeeringFailed', message: 'the peering with 1/eu/a failed' },
    ],
    [
      'a VPC that matches its spec',
      {},
      { type: 'done', reason: 'Available', message: 'the VPC exists' },
    ],
  ]);
  test.each(rows)('%s', (_, given, expected) => {
    expect(decideVpc(vpcSituation(given))).toMatchObject(stepLike(expected));
  });
});

const toBeMade: readonly Layer<GivenVpc>[] = [
  [
    'a field that cannot be read',
    { spec: { peerings: 'many' } },
    { type: 'stall', reason: 'Rejected', message: 'the operator changes nothing' },
  ],
  [
    'a VPC to adopt',
    { adoption: { state: 'found', id: 'vpc-9' } },
    { type: 'write', reason: 'Adopting', message: 'taking over VPC vpc-9' },
  ],
  [
    'Observe',
    { spec: { managementPolicy: 'Observe' } },
    { type: 'stall', reason: 'AdoptionFailed', message: 'there is no VPC to observe' },
  ],
  [
    'a create that the cloud refused a moment ago',
    {
      createFailedAt: noon - 1_000,
      status: {
        refusal: {
          attempt: 'abcdefgh',
          generation: 1,
          failures: 1,
          at: '2026-11-21T09:59:59Z',
          message: 'no',
          stalled: 'Rejected',
        },
      },
    },
    { type: 'stall', reason: 'Rejected', message: 'no' },
  ],
  [
    'a name that is taken',
    { sameNames: { state: 'read', ids: ['vpc-9'], unclaimed: ['vpc-9'] } },
    { type: 'stall', reason: 'SameNameExists', message: 'vpc-9' },
  ],
  [
    'no obstacle to the create',
    {},
    { type: 'call', reason: 'Creating', message: 'creating the VPC 10.0.0.0/16 in eu-central-1' },
  ],
];

describe('the decision about a VPC that was never created follows the first applicable situation:', () => {
  test.each(layered([...whoseItIs, ...toBeMade], notMade))('%s', (_, given, expected) => {
    expect(decideVpc(vpcSituation(given))).toMatchObject(stepLike(expected));
  });
});

describe('the decision about a lost VPC follows the first applicable situation:', () => {
  const gone: GivenVpc = { cloud: { state: 'absent' } };
  const rows = layered<GivenVpc>(
    [
      ...whoseItIs,
      [
        'no recreation is allowed',
        { annotations: {} },
        { type: 'stall', reason: 'Lost', message: 'allow-recreate=vpc-1' },
      ],
    ],
    gone,
  );
  test.each(rows)('%s', (_, given, expected) => {
    expect(decideVpc(vpcSituation(given))).toMatchObject(stepLike(expected));
  });

  const replaceable: GivenVpc = {
    ...gone,
    annotations: { 'managed-db.io/allow-recreate': 'vpc-1' },
  };
  test.each(layered(toBeMade, replaceable))(
    'a recreation is allowed, and %s',
    (_, given, expected) => {
      expect(decideVpc(vpcSituation(given))).toMatchObject(stepLike(expected));
    },
  );
  test.each(toBeMade)('no recreation is allowed, also with %s', (_, given) => {
    expect(decideVpc(vpcSituation({ ...gone, ...given }))).toMatchObject({
      type: 'stall',
      reason: 'Lost',
    });
  });
});
