import { describe, expect, test } from 'vitest';
import { decideVpc } from '../../../../src/reconcile/kinds/vpc/kind.ts';
import { decides, type Row } from '../../../support/policy-rows.ts';
import { vpcSituation } from '../../../support/situation-of-others.ts';
import { cloudError, firstOf } from '../../../support/situation.ts';
import { usableAccount } from '../../../support/usable-account.ts';
import { isProtected } from './protected-step.ts';

const requested = true;
const stays = { type: 'release', message: 'the service stays in the cloud' } as const;
const notRead = {
  type: 'keep',
  delayedReport: { type: 'wait', reason: 'CloudUnavailable', afterMs: 5_000 },
  message: 'the cloud fails (HTTP 500); the operator retries, or set spec.deletionPolicy to Retain to keep the service',
} as const;
const retain = { spec: { deletionPolicy: 'Retain' } };
const waitsFor = (message: string) => ({ type: 'stall', reason: 'DeletionBlocked', retryAfterMs: 60_000, message }) as const;

describe('what depends on the resource', () => {
  const dependent = (id: string, owner?: ReturnType<typeof firstOf>) => ({ noun: 'replica set', id, list, owner });
  const { services: list } = usableAccount().account.observer;
  const one = { requested, dependents: [dependent('rs-1', firstOf('shop'))] };
  const six = ['a', 'b', 'c', 'd', 'e', 'f'].map((id) => dependent(id));
  const rows: readonly Row[] = [
    [
      'holds it',
      { deletion: one },
      waitsFor('deletion waits for 1 replica set: first; delete it, or set spec.deletionPolicy to Retain to keep the service'),
    ],
    [
      'holds it also when the deletion has begun, and Retain comes too late',
      { deletion: { ...one, started: true } },
      waitsFor(
        'deletion waits for 1 replica set: first; delete it; spec.deletionPolicy no longer keeps the service, whose deletion has begun',
      ),
    ],
    ['does not hold what is kept', { ...retain, deletion: one }, stays],
    ['is told after what protects it', { spec: { deletionProtection: true }, deletion: one }, isProtected],
    [
      'holds what seems to be gone: the DELETE that makes sure would take it away',
      { cloud: { state: 'absent' }, deletion: one },
      waitsFor('deletion waits for 1 replica set: first; delete it, or set spec.deletionPolicy to Retain to keep'),
    ],
    [
      'is told without the names of another namespace',
      { deletion: { requested, dependents: [dependent('rs-1', firstOf('bank'))] } },
      waitsFor("1 replica set: another namespace's;"),
    ],
    [
      'is told by its id where no object stands for it',
      { deletion: { requested, dependents: six.slice(0, 2) } },
      waitsFor('2 replica sets: a (no object), b (no'),
    ],
    ['is all told up to three', { deletion: { requested, dependents: six.slice(0, 3) } }, waitsFor('c (no object); delete them,')],
    [
      'is counted beyond three',
      { deletion: { requested, dependents: six } },
      waitsFor('6 replica sets: a (no object), b (no object), c (no object) and 3 more; delete them,'),
    ],
    [
      'holds it without a question while it is being deleted',
      { deletion: { requested, dependents: [{ ...dependent('rs-1'), endsByItself: true }] } },
      {
        type: 'wait',
        reason: 'Deleting',
        afterMs: 60_000,
        message: 'deletion waits for 1 replica set: rs-1 (no object); the operator continues by itself',
      },
    ],
    [
      'asks a person while a part of it is not being deleted',
      { deletion: { requested, dependents: [{ ...dependent('rs-1'), endsByItself: true }, dependent('rs-2')] } },
      waitsFor('deletion waits for 2 replica sets: rs-1'),
    ],
    [
      'is looked for while the lists may lack it',
      { deletion: { requested, dependents: undefined } },
      {
        type: 'wait',
        reason: 'Deleting',
        afterMs: 5_000,
        message: "the operator proves that nothing depends on the service: the cloud's lists are incomplete",
      },
    ],
    ['is looked for again when it could not be read', { deletion: { requested, dependents: cloudError() } }, notRead],
    [
      'may be what the key may not read',
      { deletion: { requested, dependents: cloudError('forbidden') } },
      {
        type: 'keep',
        delayedReport: { type: 'stall', reason: 'Unauthorized', retryAfterMs: 60_000 },
        message:
          'the cloud refused to show what depends on the service; check the rights of the API key, or set spec.deletionPolicy to Retain to keep the service',
      },
    ],
    [
      'may be what the key may not read, when the deletion has begun and Retain comes too late',
      { deletion: { requested, started: true, dependents: cloudError('forbidden') } },
      {
        type: 'keep',
        delayedReport: { type: 'stall', reason: 'Unauthorized', retryAfterMs: 60_000 },
        message: 'check the rights of the API key; spec.deletionPolicy no longer keeps the service, whose deletion has begun',
      },
    ],
    [
      'is told with the way that ends the first of them',
      {
        deletion: {
          requested,
          dependents: ['detach it', 'delete it there', 'detach it'].map((remedy, at) => ({ ...dependent(`rs-${at}`), remedy })),
        },
      },
      waitsFor('(no object); detach it, or set'),
    ],
  ];
  decides([
    ...rows,
    [
      'does not hold an object that stays',
      { deletion: { ...one, requested: false } },
      { type: 'done', reason: 'Available', message: 'the service is available at' },
    ],
  ]);
  test.each(rows)('of a VPC %s', (_, { cloud, spec, ...given }, expected) => {
    const step = decideVpc(vpcSituation({ ...given, ...(cloud && { cloud }), ...(spec && { spec }) }));
    expect(step).toMatchObject({ type: expected.type, ...(expected['reason'] === undefined ? {} : { reason: expected['reason'] }) });
  });
});
