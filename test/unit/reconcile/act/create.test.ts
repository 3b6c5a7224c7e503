import { expect, test } from 'vitest';
import { perform } from '../../../../src/reconcile/act/perform.ts';
import { call } from '../../../../src/reconcile/step/step.ts';
import { wantedSecret } from '../../../support/our-secret.ts';
import { noon } from '../../../support/situation.ts';
import { usableAccount } from '../../../support/usable-account.ts';
import { owner, passwordWorld, refusal, storedEntry } from './password-world.ts';

/** The ledger must be able to take the password of a service before the cloud is asked for the service. (docs/safety.md, A password is in the ledger first) */

const entry = storedEntry({ id: undefined, projectId: undefined, outcome: undefined, passwordNumber: 0, hasPassword: false }, {});
const unreadable = { ...entry, metadata: { ...entry.metadata, annotations: { 'managed-db.io/entry': '{"version":2}' } } };
const step = call(
  {
    type: 'create',
    creation: { operation: 'createService', ids: [], body: { cpu_millis: '1000', memory_gbs: '4' } },
    name: { kind: 'ours', prefix: 'orders' },
    sameNameIds: [],
    record: {},
    recordOnSuccess: {},
    firstPassword: { requested: undefined, connection: wantedSecret },
  },
  { reason: 'Creating', message: 'creating the service' },
);

/** A visit that creates the service, while Kubernetes has this entry. */
async function created(there: object, isInCache: boolean) {
  const world = passwordWorld({ secrets: isInCache ? [there] : [] });
  for (const [key, stored] of passwordWorld({ secrets: [there] }).all) world.all.set(key, stored);
  const { account } = usableAccount();
  const seen = { sent: 0, openPermits: 0 };
  const acquire = () => {
    seen.openPermits += 1;
    return Promise.resolve({ release: () => void (seen.openPermits -= 1) });
  };
  const createService = () => {
    seen.sent += 1;
    return Promise.reject(refusal('invalid'));
  };
  const usable = { state: 'usable', account: { ...account, cloudNow: () => noon, limiter: { acquire }, project: { createService } } };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the parts that a create uses
  const target = { object: owner, account: usable, now: noon } as never;
  const outcome = await perform(step, target, world.context, new AbortController().signal);
  return { outcome, ...seen, writes: world.writes };
}

const message = 'the ledger entry cannot be read: restore Secret managedservice-uid in namespace managed-db-ledger from a backup';

test.each([
  ['that the cache does not have yet', false],
  ['in the cache', true],
])('an unreadable ledger entry %s is reported, and nothing is recorded or sent to the cloud', async (_, isInCache) => {
  const { outcome, ...seen } = await created(unreadable, isInCache);
  expect(outcome).toMatchObject({ type: 'writeFailed', step: { type: 'wait', reason: 'InternalError', message } });
  expect(seen).toEqual({ sent: 0, openPermits: 0, writes: [] });
});

test('a ledger entry that the cache does not have yet is a conflict, and nothing is sent', async () => {
  const { outcome, sent, writes } = await created(entry, false);
  expect([outcome.type, sent, writes]).toEqual(['conflict', 0, []]);
});
