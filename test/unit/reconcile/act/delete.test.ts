import { expect, test } from 'vitest';
import { remove } from '../../../../src/reconcile/act/delete.ts';
import { serviceId } from '../../../../src/cloud/wire/service.ts';
import { serviceObject } from '../../../support/situation.ts';
import { owner, passwordWorld, refusal, storedEntry } from './password-world.ts';

const ledger = 'managed-db-ledger';
const name = 'managedservice-uid';
const id = serviceId.parse('svc-1');
const deletionStarted = { id, generation: 1 };
const action: Parameters<typeof remove>[0] = {
  type: 'delete',
  id,
  operation: 'deleteService',
  args: [id],
  record: { id, projectId: 'prj-1', outcome: 'created', deletionStarted },
  inVain: undefined,
  isUnshown: false,
};

/**
 * A DELETE of the service, and the removals that its list learns. `atRequest`: the decision in the ledger when the
 * operator sends the DELETE.
 */
async function deleted(
  answer: Promise<void>,
  alter: (world: ReturnType<typeof passwordWorld>) => void = () => undefined,
) {
  const world = passwordWorld({ secrets: [storedEntry({}, { password: 'secret-password' })] });
  alter(world);
  const atRequest: unknown[] = [];
  const learned: string[] = [];
  const deleteService = () => {
    atRequest.push(world.seen(ledger, name)?.content?.deletionStarted);
    return answer;
  };
  const services = {
    acceptRemoval: (gone: string) => learned.push(`accepted ${gone}`),
    denyRemoval: (gone: string) => learned.push(`denied ${gone}`),
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the parts that a DELETE uses
  const account = { project: { deleteService }, observer: { services } } as never;
  const outcome = await remove(action, owner, account, world.context).catch(
    (error: unknown) => error,
  );
  return { outcome, atRequest, learned };
}

test.each([
  ['accepted', Promise.resolve(), 'accepted svc-1'],
  ['answered with 404', undefined, 'denied svc-1'],
])(
  'a DELETE is sent once its decision is in the ledger, and the list learns that it was %s',
  async (_, answer, expected) => {
    const { outcome, atRequest, learned } = await deleted(
      answer ?? Promise.reject(refusal('notFound')),
    );
    expect(outcome).toMatchObject({
      type: 'done',
      accepted: { operation: 'delete', wanted: 'svc-1' },
    });
    expect([atRequest, learned]).toEqual([[deletionStarted], [expected]]);
  },
);

test.each([
  ['that the cloud refuses', 'conflict'],
  ['that a gateway answers with its page', 'unreadable'],
  ['that the cloud does not answer', 'timeout'],
] as const)('a DELETE %s teaches the list nothing', async (_, kind) => {
  const { outcome, learned } = await deleted(Promise.reject(refusal(kind)));
  expect([outcome, learned]).toMatchObject([{ type: 'failed' }, []]);
});

test('no DELETE is sent if a live look shows that the object has changed, as with a new deletionPolicy', async () => {
  const { outcome, atRequest } = await deleted(Promise.resolve(), ({ live }) => {
    live.set(
      'shop/orders',
      serviceObject({}, { deletionPolicy: 'Retain' }, { metadata: { resourceVersion: '2' } }),
    );
  });
  expect([outcome, atRequest]).toMatchObject([{ kind: 'conflict' }, []]);
});
