import { expect, test } from 'vitest';
import { CloudError } from '../../../../src/cloud/cloud-error.ts';
import {
  dependentsHolding,
  type ListedDependent,
} from '../../../../src/reconcile/observe/observe-phase.ts';
import type { ObservedResource } from '../../../../src/reconcile/situation/situation.ts';
import { morning, serviceObject } from '../../../support/situation.ts';
import { handClock } from '../../../support/hand-clock.ts';
import { usableAccount } from '../../../support/usable-account.ts';

/** A service that is being deleted. */
interface Given {
  readonly reason?: string;
  /** Lists must have begun after this policy time. */
  readonly notBefore?: number;
  readonly acceptedAt?: number;
  /** The dependents in each list; undefined: the lists do not show dependents; an error: the lists fail. */
  readonly known?: readonly ListedDependent[] | CloudError | undefined;
  /** By default it is there. */
  readonly cloud?: ObservedResource<unknown>;
  readonly started?: boolean;
}

const clock = handClock();
const now = clock.now();
const one: ListedDependent = {
  noun: 'replica set',
  id: 'rs1',
  list: usableAccount().account.observer.services,
  owner: undefined,
};
const failure = new CloudError({
  operation: 'listServices',
  kind: 'server',
  sent: true,
  fromApi: true,
});

test.each<[sentence: string, given: Given, asked: readonly number[]]>([
  ['is blocked by what the latest list shows', { reason: 'DeletionBlocked', known: [one] }, [0]],
  [
    'was blocked by what the latest list lacks',
    { reason: 'DeletionBlocked', known: [] },
    [0, now - 2_000],
  ],
  [
    'was blocked, and lists cannot tell',
    { reason: 'DeletionBlocked', known: undefined },
    [0, now - 2_000],
  ],
  ['was blocked, and lists fail', { reason: 'DeletionBlocked', known: failure }, [0]],
  [
    'is blocked, and only a newer list counts',
    { reason: 'DeletionBlocked', notBefore: 1, known: [one] },
    [now - 2_000],
  ],
  ['is not known to be blocked', { reason: 'Deleting', known: [one] }, [now - 2_000]],
  ['was accepted a moment ago', { acceptedAt: now - 1, known: [one] }, []],
  [
    'was accepted, and had no effect for half a minute',
    { acceptedAt: now - 30_000, known: [] },
    [now - 2_000],
  ],
  [
    'is due to make sure of an absence',
    { cloud: { state: 'absent' }, known: [one] },
    [now - 2_000],
  ],
  [
    'is over, since it was answered and the resource is gone',
    { cloud: { state: 'absent' }, started: true, acceptedAt: now - 1, known: [one] },
    [],
  ],
  [
    'failed, and is due to make sure of an absence',
    { cloud: { state: 'absent' }, started: true, known: [one] },
    [now - 2_000],
  ],
  [
    'waits for the proof of an absence',
    { cloud: { state: 'missing', again: now }, known: [one] },
    [],
  ],
])('a deletion that %s asks for no more lists than it needs', async (_, given, asked) => {
  const {
    reason,
    notBefore = 0,
    acceptedAt,
    known,
    cloud = { state: 'present', resource: {}, asOf: now },
    started = false,
  } = given;
  const conditions =
    reason === undefined
      ? []
      : [{ type: 'Synced', status: 'False', reason, message: '', lastTransitionTime: morning }];
  const object = serviceObject(
    {},
    {},
    { status: { conditions }, metadata: { deletionTimestamp: '2026-11-21T12:00:00Z' } },
  );
  const lastOperation =
    acceptedAt === undefined ? undefined : { operation: 'delete', wanted: 'svc1', at: acceptedAt };
  const times: number[] = [];
  await dependentsHolding(
    { object, record: { id: 'svc1' }, notBefore, lastOperation },
    { cloud, started },
    { clock },
    (since) => {
      times.push(since);
      return known instanceof CloudError ? Promise.reject(known) : Promise.resolve(known);
    },
  );
  expect(times).toEqual(asked);
});
