import { describe, expect, test } from 'vitest';
import { listPoller } from '../../../src/cloud/list-poller.ts';
import { vpcId } from '../../../src/cloud/wire/vpc.ts';
import type { Service } from '../../../src/cloud/wire/service.ts';
import { operatorCaches } from '../../../src/operator/caches.ts';
import { reconcilers } from '../../../src/reconcile/kinds/all.ts';
import { claimTable } from '../../../src/reconcile/process/claims.ts';
import { listSubscriptions } from '../../../src/reconcile/process/list-subscriptions.ts';
import { memory } from '../../../src/reconcile/process/memory.ts';
import { remember } from '../../../src/reconcile/report/remember.ts';
import { keyOf, loopGuard, objectCache, systemClock } from '../../../src/runtime/index.ts';
import { defaultOptions } from '../../support/default-options.ts';
import { handClock } from '../../support/hand-clock.ts';
import { ledgerEntry } from '../../support/ledger-entry.ts';
import { usableAccount } from '../../support/usable-account.ts';
import { serviceKind } from '../../../src/reconcile/kinds/service/kind.ts';
import { hasOldValue, noteSeen } from '../../../src/reconcile/observe/confirmed.ts';
import { isLateEffect } from '../../../src/reconcile/report/drift.ts';
import type { RequestedValue } from '../../../src/reconcile/situation/learned.ts';
import { cloudService, noon, serviceObject, serviceSituation, situation } from '../../support/situation.ts';

/** The values before and after requests of the operator: which lists are old, and which changes are its own. */

const requested: RequestedValue = { before: ['1000m/4GB'], wanted: '2000m/8GB' };
const seen: RequestedValue = { ...requested, seenAt: 1 };

describe('a list', () => {
  test.each<readonly [sentence: string, values: Readonly<Record<string, unknown>>, request: RequestedValue, isOld: boolean]>([
    ['with the value before a change that was seen is doubted', { size: '1000m/4GB' }, seen, true],
    ['with the value before a change that was not seen yet is not', { size: '1000m/4GB' }, requested, false],
    ['with the new value is not', { size: '2000m/8GB' }, seen, false],
    ['with a third value is not: somebody else made it', { size: '4000m/16GB' }, seen, false],
    ['without the value is not', {}, seen, false],
    [
      'with any of several values on the way there is doubted',
      { size: '1000m/4GB' },
      { ...seen, before: ['1000m/4GB', '1500m/6GB'] },
      true,
    ],
    [
      'with a value after which the next one was asked for is doubted, seen or not',
      { size: '1000m/4GB' },
      { ...requested, before: ['1000m/4GB', '1500m/6GB'] },
      true,
    ],
    [
      'with the value at the last request is not, while no other was seen',
      { size: '1500m/6GB' },
      { ...requested, before: ['1000m/4GB', '1500m/6GB'] },
      false,
    ],
    ['with the old value at another place is not', { environment: '1000m/4GB' }, seen, false],
  ])('%s', (_, values, request, isOld) => {
    expect(hasOldValue(values, new Map([['size', request]]))).toBe(isOld);
  });
});

describe('what the cloud shows for certain', () => {
  test.each<
    readonly [sentence: string, values: Readonly<Record<string, unknown>>, request: RequestedValue, after: RequestedValue | undefined]
  >([
    ['is a change once it is another value than before', { size: '2000m/8GB' }, requested, { ...requested, seenAt: 7 }],
    ['keeps the time when the change was first seen', { size: '2000m/8GB' }, seen, seen],
    ['is no change yet while it is the value before', { size: '1000m/4GB' }, requested, requested],
    [
      'is no change yet while it is the value at the last request',
      { size: '1500m/6GB' },
      { ...requested, before: ['1000m/4GB', '1500m/6GB'] },
      { ...requested, before: ['1000m/4GB', '1500m/6GB'] },
    ],
    [
      'ends the doubt when it is an earlier value again',
      { size: '1000m/4GB' },
      { ...requested, before: ['1000m/4GB', '1500m/6GB'] },
      undefined,
    ],
    ['ends the doubt when the change was undone', { size: '1000m/4GB' }, seen, undefined],
    ['says nothing of a change that was not seen where it lacks the value', {}, requested, requested],
    ['says nothing of a change that was seen where it lacks the value', {}, seen, seen],
  ])('%s', (_, values, request, after) => {
    const all = new Map([['size', request]]);
    noteSeen(values, all, 7);
    expect(all.get('size')).toEqual(after);
  });
});

describe('a size that changed while all was as wanted', () => {
  const late: RequestedValue = { ...requested, seenAt: noon };
  const path = 'cpuMillis/memoryGbs';
  test.each<readonly [sentence: string, request: RequestedValue | undefined, shown: number, isOurs: boolean]>([
    ["is the operator's late request if it is seen now for the first time", late, 2000, true],
    ['is of somebody else if the request was seen before', { ...late, seenAt: noon - 1 }, 2000, false],
    ['is of somebody else if the request was for another value', late, 4000, false],
    ['is of somebody else if nothing was requested', undefined, 2000, false],
  ])('%s', (_, request, cpu, isOurs) => {
    const resources = [{ spec: { cpu_millis: cpu, memory_gbs: 8 } }];
    const learned = { ...situation().learned, requested: new Map(request ? [[path, request]] : []) };
    expect(isLateEffect(path, serviceSituation({ spec: { cpuMillis: 1000, memoryGbs: 4 }, seen: { resources }, learned }))).toBe(isOurs);
  });
});

const idOf = ({ service_id: id }: Service) => id;
const inVpc = (id: string) => ({ vpcEndpoint: { host: 'h', port: 1, vpc_id: vpcId.parse(id) } });

/** A look at a service in VPC vpc-2, which a list shows so. @returns the reads of the service alone, and what the look has taught */
async function look(listed: Partial<Service>, really: Partial<Service>, ofVpc: RequestedValue) {
  let reads = 0;
  const getService = () => {
    reads += 1;
    return Promise.resolve(cloudService(really));
  };
  const clock = systemClock;
  const list = () => Promise.resolve([cloudService(listed)]);
  const services = listPoller({ operation: 'listServices', list, get: getService, idOf, clock, random: () => 0, shareMs: 0 });
  const { account } = usableAccount();
  const own = { ...account, project: { ...account.project, getService }, observer: { ...account.observer, services } };
  const caches = operatorCaches({ cache: () => objectCache([undefined]) }, 'managed-db-ledger');
  const object = serviceObject(
    {},
    { vpcId: 'vpc-2' },
    { status: { id: 'svc-1', projectId: 'prj-1' }, metadata: { finalizers: ['managed-db.io/cloud-resource'] } },
  );
  caches.of('ManagedService').wrote(object);
  caches.ledger.entries.wrote(ledgerEntry({ vpcAttachment: 'vpc-2' }));
  const known = { failures: 0, refusals: new Map(), firstSeen: new Map(), requested: new Map([['vpc', ofVpc]]) };
  const observed = await reconcilers.ManagedService.observe(keyOf(object), {
    kubernetes: { get: () => Promise.resolve(undefined) },
    caches,
    compared: { has: () => false, add() {} },
    definitionOf: () => Promise.resolve(undefined),
    accounts: { of: () => Promise.resolve({ state: 'usable', account: own, secret: undefined }) },
    claims: claimTable(caches, clock),
    memory: { known: () => known },
    clock,
    options: defaultOptions,
    database: { user: 'u', name: 'n' },
    clusterUid: 'cluster',
  });
  return {
    reads,
    changes: observed?.pendingChanges.flatMap(({ path, name }) => (path === 'vpc' ? [name] : [])),
    ofVpc: observed?.learned.requested.get('vpc'),
  };
}

describe('the VPC of a service is a value like any other:', () => {
  const moved: RequestedValue = { before: ['vpc-1', 'none'], wanted: 'vpc-2' };

  test.each<readonly [sentence: string, listed: Partial<Service>]>([
    ['where it was before a move', inVpc('vpc-1')],
    ['in none, as it was on the way', {}],
  ])('a list that shows it %s is doubted', async (_, listed) => {
    expect(await look(listed, inVpc('vpc-2'), { ...moved, seenAt: 1 })).toMatchObject({ reads: 1, changes: [] });
  });

  test('where it is seen is noted', async () => {
    const { reads, ofVpc } = await look(inVpc('vpc-2'), {}, moved);
    expect([reads, ofVpc?.wanted]).toEqual([0, 'vpc-2']);
    expect(ofVpc?.seenAt).toBeGreaterThan(0);
  });

  test('a move is one change with two requests', () => {
    const known = memory();
    const vpc = { state: 'found', id: vpcId.parse('vpc-2') } as const;
    const asks = (operation: string, shown: Partial<Service>) => {
      const visit = {
        kind: serviceKind,
        situation: serviceSituation({ vpc, record: { vpcAttachment: 'vpc-2' }, seen: shown }),
        step: { type: 'done', reason: 'Available', message: '' },
        outcome: { type: 'done', object: serviceObject(), accepted: { operation, wanted: 'vpc-2' } },
      } as const;
      const rest = { clock: handClock(), loops: loopGuard(), subscriptions: listSubscriptions(() => undefined), random: () => 0 };
      remember(visit, { memory: known, ...rest });
      return known.of('ManagedService', keyOf(serviceObject())).requested.get('vpc');
    };
    expect(asks('detachServiceFromVpc', inVpc('vpc-1'))).toEqual({ before: ['vpc-1'], wanted: 'vpc-2' });
    expect(asks('attachServiceToVpc', {})).toEqual(moved);
    expect(asks('attachServiceToVpc', {}), 'asked once more').toEqual(moved);
  });
});
