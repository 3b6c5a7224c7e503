import { expect, test } from 'vitest';
import { listPoller } from '../../../src/cloud/list-poller.ts';
import { serviceId, type Service } from '../../../src/cloud/wire/service.ts';
import { nameChanged } from '../../../src/reconcile/act/name-changed.ts';
import type { CreateAction } from '../../../src/reconcile/step/action.ts';
import { handClock } from '../../support/hand-clock.ts';
import { cloudService, serviceObject } from '../../support/situation.ts';
import { usableAccount } from '../../support/usable-account.ts';

/** A create under a chosen name looks at a list of its own visit: an older one may lack what somebody else has made since. */

const given: CreateAction['name'] = { kind: 'given', name: 'orders' };

/** The end of a visit whose decision knows these ids, while the cloud has a service of the name. @returns also the number of lists */
async function looked(
  name: CreateAction['name'],
  sameNameIds: readonly string[] = [],
  knownIds: readonly string[] = [],
  shown: Partial<Service> = { service_id: serviceId.parse('a'), name: 'orders' },
) {
  const clock = handClock();
  let lists = 0;
  let found: readonly Service[] = [];
  const services = listPoller<Service>({
    operation: 'listServices',
    list: () => {
      lists += 1;
      return Promise.resolve(found);
    },
    idOf: ({ service_id: id }) => id,
    clock,
    random: () => 0,
    knownIds: () => knownIds,
  });
  const before = services.since(0);
  await clock.advance(1_000);
  await before;
  found = [cloudService(shown)];
  const { observer } = usableAccount().account;
  const creation = { operation: 'createService', ids: [], body: { cpu_millis: '1000', memory_gbs: '4' } } as const;
  const action: CreateAction = { type: 'create', creation, name, sameNameIds, record: {}, recordOnSuccess: {} };
  const end = nameChanged(action, serviceObject(), { observer: { ...observer, services } }, clock.now());
  await clock.advance(1_000);
  return [(await end)?.type, lists];
}

test('a resource of the name that appeared since the decision ends the visit', async () => {
  expect(await looked(given)).toEqual(['conflict', 2]);
});

test('a resource of the name that was decided upon is no reason to wait', async () => {
  expect(await looked(given, ['a'])).toEqual([undefined, 2]);
});

test('a list that lacks what is known ends the visit', async () => {
  expect((await looked(given, ['a'], ['a', 'b']))[0]).toBe('conflict');
});

test('a resource without a name that appeared since the decision ends the visit, and one without an id that may have the name', async () => {
  const id = serviceId.parse('a');
  expect((await looked(given, [], [], { service_id: id, name: undefined }))[0]).toBe('conflict');
  expect((await looked(given, ['a'], [], { service_id: id, name: undefined }))[0]).toBeUndefined();
  expect((await looked(given, [], [], { service_id: undefined, name: undefined }))[0]).toBe('conflict');
  expect((await looked(given, [], [], { service_id: undefined, name: 'other' }))[0]).toBeUndefined();
});

test('a generated name cannot be taken, and costs no list', async () => {
  expect(await looked({ kind: 'ours', prefix: 'orders' })).toEqual([undefined, 1]);
});
