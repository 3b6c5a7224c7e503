import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { operatorCaches } from '../../../../src/operator/caches.ts';
import { serviceKind } from '../../../../src/reconcile/kinds/service/kind.ts';
import { reportInternalError } from '../../../../src/reconcile/report/troubled-visit.ts';
import { isPassing } from '../../../../src/reconcile/step/errors.ts';
import { syncedOf, unseenConditions } from '../../../../src/resources/condition.ts';
import {
  isConflict,
  keyOf,
  KubernetesError,
  objectCache,
  systemClock,
  type KubernetesErrorKind,
} from '../../../../src/runtime/index.ts';
import {
  askingStatuses,
  notReady,
  readyStatus,
  suspendedStatus,
} from '../../../support/asking-statuses.ts';
import { serviceObject } from '../../../support/situation.ts';

/** Reads x refusals: a visit whose read of Kubernetes fails says so, however it fails. */

const operation = 'get secrets shop/mine';
const failure = (
  kind: KubernetesErrorKind,
  more: { status?: number; namespaceTerminating?: boolean } = {},
) =>
  new KubernetesError({
    operation,
    kind,
    about: { plural: 'secrets', namespace: 'shop', name: 'mine' },
    ...more,
  });

/** Every kind of failure, with the words that name the place to check. A new kind does not compile without a row. */
const rows: Readonly<
  Record<KubernetesErrorKind, readonly [error: KubernetesError, words: string]>
> = {
  timeout: [failure('timeout'), 'the network to it'],
  network: [failure('network'), 'the network to it'],
  tooManyRequests: [failure('tooManyRequests', { status: 429 }), 'the load and the flow control'],
  unauthorized: [failure('unauthorized', { status: 401 }), "the operator's ServiceAccount"],
  unreadable: [failure('unreadable'), 'check that object'],
  gone: [failure('gone', { status: 410 }), 'ClusterRole'],
  server: [failure('server', { status: 500 }), 'ClusterRole'],
  invalid: [failure('invalid', { status: 400 }), 'ClusterRole'],
  forbidden: [failure('forbidden', { status: 403, namespaceTerminating: true }), 'ClusterRole'],
  altered: [failure('altered'), 'ClusterRole'],
  placeMissing: [
    failure('placeMissing', { status: 404 }),
    'check that its namespace and its CRD exist',
  ],
  aborted: [failure('aborted'), 'ClusterRole'],
  conflict: [
    failure('conflict', { status: 409 }),
    'to find the writer: kubectl get secrets mine -n shop --show-managed-fields -o yaml',
  ],
  alreadyExists: [
    failure('alreadyExists', { status: 409 }),
    'to find the writer: kubectl get secrets mine -n shop --show-managed-fields -o yaml',
  ],
  notFound: [
    failure('notFound', { status: 404 }),
    'to find the writer: kubectl get secrets mine -n shop --show-managed-fields -o yaml',
  ],
};

const unread = Promise.resolve(undefined);

/** The API server refuses the same request again until a user fixes the cause. */
const refusals: readonly string[] = ['invalid', 'altered'];

interface Given {
  readonly status?: object;
  readonly spec?: object;
  readonly refusesStatus?: boolean;
}

/** The message in the status and those in events, after a visit to this object failed. */
async function reported(
  error: unknown,
  { status = {}, spec = {}, refusesStatus = false }: Given = {},
) {
  const object = serviceObject({}, spec, { status });
  const caches = operatorCaches({ cache: () => objectCache([undefined]) }, 'ledger');
  caches.of('ManagedService').wrote(object);
  const told: { status?: string | undefined; event?: string } = {};
  await reportInternalError(serviceKind, keyOf(object), error, {
    caches,
    clock: systemClock,
    events: { record: (_object, { message }) => void (told.event = message) },
    kubernetes: {
      get: () => unread,
      patch(type, _key, body) {
        if (refusesStatus) return Promise.reject(failure('server', { status: 500 }));
        const written = serviceObject({}, {}, z.object({ status: z.looseObject({}) }).parse(body));
        told.status = syncedOf(written)?.message;
        return Promise.resolve(type.parse(written));
      },
    },
  });
  return told;
}

test.each(Object.entries(rows))(
  'a read that fails (%s) is told in the status, and where to look',
  async (_kind, [error, words]) => {
    const { status, event } = await reported(error);
    expect(status).toContain(operation);
    expect(status).toContain(words);
    expect(event).toBeUndefined();
  },
);

test.each(Object.entries(rows))(
  'a failure (%s) that cannot be written into the status is told in an event',
  async (_kind, [error, words]) => {
    expect((await reported(error, { refusesStatus: true })).event).toContain(words);
  },
);

test.each(Object.entries(rows))(
  'a Ready object whose read fails (%s) stays Ready: an event tells it',
  async (kind, [error, words]) => {
    const { status, event } = await reported(error, { status: readyStatus });
    expect(refusals.includes(kind) ? status : event).toContain(words);
  },
);

describe.each(Object.entries(askingStatuses))('an object that says %s', (reason, status) => {
  const given = { status, ...(reason === 'Suspended' ? { spec: { suspend: true } } : {}) };

  test.each(Object.entries(rows))(
    'keeps its status while a read fails (%s), and an event names the failure',
    async (kind, [error, words]) => {
      const { status: told, event } = await reported(error, given);
      expect(refusals.includes(kind) ? told : event).toContain(words);
      expect(refusals.includes(kind) ? event : told).toBeUndefined();
    },
  );

  test('says the failure in an event where the status cannot be written', async () => {
    const { status: told, event } = await reported(failure('timeout'), {
      ...given,
      refusesStatus: true,
    });
    expect(told).toBeUndefined();
    expect(event).toContain(operation);
  });
});

test.each([
  ['was not looked at yet', { conditions: unseenConditions }],
  ['was only waiting', notReady('Reconciling', 'Creating')],
  ['was suspended, and goes on', suspendedStatus(0)],
])('an object that %s says in the status that a read fails', async (_, status) => {
  const { status: told, event } = await reported(failure('timeout'), { status });
  expect(told).toContain(operation);
  expect(event).toBeUndefined();
});

test('a refusal is reported at once only if it does not pass with time', () => {
  const atOnce = Object.values(rows).filter(([error]) => !isPassing(error) && !isConflict(error));
  expect(atOnce.map(([{ kind }]) => kind)).toEqual(refusals);
  expect(isPassing(new TypeError('x'))).toBe(false);
});
