import { expect, test } from 'vitest';
import { bindEntry } from '../../../../src/reconcile/act/bind-entry.ts';
import { storeFirstPassword } from '../../../../src/reconcile/act/first-password.ts';
import { release } from '../../../../src/reconcile/act/release.ts';
import { entryOf, resourceHash } from '../../../../src/reconcile/ledger/entry.ts';
import type { Context } from '../../../../src/reconcile/process/context.ts';
import { wantedSecret } from '../../../support/our-secret.ts';
import { owner, passwordWorld, storedEntry } from '../act/password-world.ts';

/** A write that changes the id in an entry replaces all its passwords. (docs/safety.md, A password belongs to one service) */

const ledger = 'managed-db-ledger';
const name = 'managedservice-uid';
/** About a lost service, of which a password is in flight. */
const ofLost = storedEntry(
  {
    id: 'svc-0',
    passwordNumber: 7,
    passwordFrom: 'rotation r0',
    next: { from: 'rotation r2' },
    unclear: { from: 'rotation r1' },
    unansweredAt: '2026-11-21T11:59:00.000Z',
  },
  { password: 'lost', nextPassword: 'lost too', unclearPassword: 'as well' },
);

const bind = { type: 'bindEntry', id: 'svc-1', projectId: 'prj-1', outcome: 'created', secret: 'orders-db', requested: undefined } as const;
const retained = { type: 'release', message: 'stays', released: { id: 'svc-1', projectId: 'prj-1', fate: 'retained' } } as const;
const answer = {
  id: 'svc-1',
  projectId: 'prj-1',
  password: 'of-the-create',
  direct: undefined,
  requested: undefined,
  connection: wantedSecret,
};

async function storeAnswer(context: Context): Promise<void> {
  const entry = entryOf(owner, context.caches);
  if (entry) await storeFirstPassword(answer, entry, owner, context);
}

test.each<[string, (context: Context) => Promise<unknown>, object, object]>([
  [
    'of the service that replaces the lost one',
    (context) => bindEntry(bind, owner, context),
    { passwordNumber: 7, hasPassword: false },
    {},
  ],
  ['in the answer to a create', storeAnswer, { passwordNumber: 8, hasPassword: true }, { password: 'of-the-create' }],
  ['of a retained service', (context) => release(retained, owner, context), { passwordNumber: 7, hasPassword: false }, {}],
])('an entry about a lost service loses all its passwords in the one write that has the id %s', async (_, act, expected, passwords) => {
  const world = passwordWorld({ secrets: [ofLost] });
  await act(world.context);
  const { content, data, metadata } = world.seen(ledger, name) ?? {};
  expect(content).toMatchObject({ id: 'svc-1', ...expected });
  expect([content?.passwordFrom, content?.next, content?.unclear, content?.unansweredAt]).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
  expect(data).toEqual(passwords);
  expect(metadata?.['labels']).toHaveProperty(['managed-db.io/resource'], resourceHash('ManagedService', 'prj-1', 'svc-1'));
  expect(world.writes.filter((write) => write.endsWith(name))).toEqual([`patch ${ledger}/${name}`]);
});

test('an answer to a create changes nothing in an entry that another process wrote since', async () => {
  const world = passwordWorld({ secrets: [ofLost] });
  const [[key, stored] = []] = [...world.all];
  if (key !== undefined && stored) world.all.set(key, { ...stored, metadata: { ...stored.metadata, resourceVersion: '9' } });
  await storeAnswer(world.context);
  expect([world.writes, world.seen(ledger, name)?.content?.id, world.seen(ledger, name)?.data['password']]).toEqual([[], 'svc-0', 'lost']);
});
