import { describe, expect, test } from 'vitest';
import { decideVpc } from '../../../../src/reconcile/kinds/vpc/kind.ts';
import { decides, type Row } from '../../../support/policy-rows.ts';
import { vpcSituation } from '../../../support/situation-of-others.ts';
import { cloudError, firstOf } from '../../../support/situation.ts';
import { isProtected } from './protected-step.ts';

const requested = true;
const stays = { type: 'release', message: 'the service stays in the cloud' } as const;
const notRead = {
  type: 'keep',
  delayedReport: { type: 'wait', reason: 'CloudUnavailable', afterMs: 5_000 },
  message:
    'the cloud fails (HTTP 500); the operator retries, or set spec.deletionPolicy to Retain to keep the service',
} as const;
const retain = { spec: { deletionPolicy: 'Retain' } };
const waitsFor = (message: string) =>
  ({ type: 'stall', reason: 'DeletionBlocked', retryAfterMs: 60_000, message }) as const;

const dependent = (id: string, owner?: ReturnType<typeof firstOf>) => ({
  noun: 'replica set',
  id,
  owner,
});

describe('a dependent of the resource', () => {
  const one = { requested, dependents: [dependent('rs-1', firstOf('shop'))] };
  const six = ['a', 'b', 'c', 'd', 'e', 'f'].map((id) => dependent(id));
  const rows: readonly Row[] = [
    [
      'blocks the deletion',
      { deletion: one },
      waitsFor(
        'deletion waits for 1 replica set: first; delete it, or set spec.deletionPolicy to Retain to keep the service',
      ),
    ],
    [
      'blocks a deletion that has begun, and the message says that Retain comes too late',
      { deletion: { ...one, started: true } },
      waitsFor(
        'deletion waits for 1 replica set: first; delete it; spec.deletionPolicy no longer keeps the service, whose deletion has begun',
      ),
    ],
    [
      'does not block the release of a resource that is retained',
      { ...retain, deletion: one },
      stays,
    ],
    [
      'is reported only if no deletion protection is reported',
      { spec: { deletionProtection: true }, deletion: one },
      isProtected,
    ],
    [
      'blocks the deletion of a resource that seems to be absent, since the DELETE would delete the dependent',
      { cloud: { state: 'absent' }, deletion: one },
      waitsFor(
        'deletion waits for 1 replica set: first; delete it, or set spec.deletionPolicy to Retain to keep',
      ),
    ],
    [
      'in a foreign namespace is reported without names',
      { deletion: { requested, dependents: [dependent('rs-1', firstOf('bank'))] } },
      waitsFor("1 replica set: another namespace's;"),
    ],
    [
      'without an object is reported by its id',
      { deletion: { requested, dependents: six.slice(0, 2) } },
      waitsFor('2 replica sets: a (no object), b (no'),
    ],
    [
      'is reported with up to two further dependents by id',
      { deletion: { requested, dependents: six.slice(0, 3) } },
      waitsFor('c (no object); delete them,'),
    ],
    [
      'is only counted if it is not among the first three',
      { deletion: { requested, dependents: six } },
      waitsFor(
        '6 replica sets: a (no object), b (no object), c (no object) and 3 more; delete them,',
      ),
    ],
    [
      'that is being deleted by itself makes the deletion wait, not stall',
      { deletion: { requested, dependents: [{ ...dependent('rs-1'), endsByItself: true }] } },
      {
        type: 'wait',
        reason: 'Deleting',
        afterMs: 60_000,
        message:
          'deletion waits for 1 replica set: rs-1 (no object); the operator continues by itself',
      },
    ],
    [
      'that is not being deleted makes the deletion stall, even beside a dependent that is being deleted',
      {
        deletion: {
          requested,
          dependents: [{ ...dependent('rs-1'), endsByItself: true }, dependent('rs-2')],
        },
      },
      waitsFor('deletion waits for 2 replica sets: rs-1'),
    ],
    [
      'is looked for while the lists may be incomplete',
      { deletion: { requested, dependents: undefined } },
      {
        type: 'wait',
        reason: 'Deleting',
        afterMs: 5_000,
        message:
          "the operator proves that nothing depends on the service: the cloud's lists are incomplete",
      },
    ],
    [
      'is looked for again if the dependents could not be read',
      { deletion: { requested, dependents: cloudError() } },
      notRead,
    ],
    [
      'is assumed if the key may not read the dependents',
      { deletion: { requested, dependents: cloudError('forbidden') } },
      {
        type: 'keep',
        delayedReport: { type: 'stall', reason: 'Unauthorized', retryAfterMs: 60_000 },
        message:
          'the cloud refused to show what depends on the service; check the rights of the API key, or set spec.deletionPolicy to Retain to keep the service',
      },
    ],
    [
      'is assumed if the key may not read the dependents, and the message says that Retain comes too late',
      { deletion: { requested, started: true, dependents: cloudError('forbidden') } },
      {
        type: 'keep',
        delayedReport: { type: 'stall', reason: 'Unauthorized', retryAfterMs: 60_000 },
        message:
          'check the rights of the API key; spec.deletionPolicy no longer keeps the service, whose deletion has begun',
      },
    ],
    [
      'is reported with the remedy for the first dependent',
      {
        deletion: {
          requested,
          dependents: ['detach it', 'delete it there', 'detach it'].map((remedy, at) => ({
            ...dependent(`rs-${at}`),
            remedy,
          })),
        },
      },
      waitsFor('(no object); detach it, or set'),
    ],
  ];
  decides([
    ...rows,
    [
      'does not affect an object that is not deleted',
      { deletion: { ...one, requested: false } },
      { type: 'done', reason: 'Available', message: 'the service is available at' },
    ],
  ]);
  test.each(rows)('of a VPC %s', (_, { cloud, spec, ...given }, expected) => {
    const step = decideVpc(
      vpcSituation({ ...given, ...(cloud && { cloud }), ...(spec && { spec }) }),
    );
    expect(step).toMatchObject({
      type: expected.type,
      ...(expected['reason'] === undefined ? {} : { reason: expected['reason'] }),
    });
  });
});
