import { patienceMs } from '../../../../src/reconcile/report/patience.ts';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { serviceId } from '../../../../src/cloud/wire/service.ts';
import { decideReplicaSet } from '../../../../src/reconcile/kinds/replica-set/kind.ts';
import { decideService, serviceKind } from '../../../../src/reconcile/kinds/service/kind.ts';
import type { Remembered } from '../../../../src/reconcile/wiring/memory.ts';
import { conclude, type Conclusion } from '../../../../src/reconcile/report/conclude.ts';
import type { Outcome } from '../../../../src/reconcile/step/outcome.ts';
import { call, keep, stall, wait, type Step } from '../../../../src/reconcile/step/step.ts';
import { cloudResourceFinalizer } from '../../../../src/resources/annotations.ts';
import { condition, syncedOf } from '../../../../src/resources/condition.ts';
import {
  askingStatuses,
  notReady,
  readyStatus,
  suspendedStatus,
} from '../../../support/asking-statuses.ts';
import {
  cloudError,
  noon,
  serviceObject,
  serviceSituation,
  type GivenService,
  listFacts,
} from '../../../support/situation.ts';
import { replicaSetSituation } from '../../../support/situation-of-others.ts';
import { freshMemory, visitOf } from '../../../support/visit.ts';

/** The conclusion of a reconcile: the content of the status report, and its time. (docs/safety.md, docs/reasons.md) */

const { trouble: reportAfterMs, workWithoutNewState: longWorkMs } = patienceMs;
const unread = wait('CloudUnavailable', 'the cloud fails (HTTP 500); the operator retries');
const kept = keep(unread);
const done: Step = { type: 'done', reason: 'Available', message: 'there' };
const nothing: Outcome = { type: 'nothing' };
const creating: GivenService = { status: notReady('Reconciling', 'Creating') };

const statusOf = (status: object | undefined) =>
  status && z.object({ conditions: z.array(condition) }).parse(status);
const reasonIn = (status: object | undefined) =>
  status ? syncedOf({ status: statusOf(status) })?.reason : undefined;

interface Look {
  readonly step: Step;
  readonly outcome?: Outcome;
  /** How long the visit takes. */
  readonly lasts?: number;
  readonly given?: object;
}

/** Reconciles of a single process at these milliseconds after noon. @returns their conclusions */
function looks(given: GivenService, ...visits: readonly (readonly [at: number, Look])[]) {
  let memory: Remembered = freshMemory();
  return visits.map(([at, { step, outcome = nothing, lasts = 0, given: more = {} }]) => {
    const situation = { ...serviceSituation({ ...given, now: noon + at }), ...more };
    const conclusion = conclude(
      visitOf(serviceKind, situation, step, { outcome, memory, endedAt: noon + at + lasts }),
    );
    ({ memory } = conclusion);
    return conclusion;
  });
}

const reasons = (...args: Parameters<typeof looks>) =>
  looks(...args).map(({ status }) => reasonIn(status));
const at = (ms: number, step: Step, more: Omit<Look, 'step'> = {}) =>
  [ms, { step, ...more }] as const;

describe('a visit that learned nothing', () => {
  test('is reported once that has lasted half a minute', () => {
    expect(reasons(creating, at(0, kept), at(29_000, kept), at(30_000, kept))).toEqual([
      undefined,
      undefined,
      'CloudUnavailable',
    ]);
  });

  test('is reported four seconds after an edit, since a user waits for that', () => {
    const edited: GivenService = {
      status: { ...readyStatus, observedGeneration: 1 },
      metadata: { generation: 2 },
    };
    expect(reasons(edited, at(0, kept), at(3_000, kept), at(4_000, kept))).toEqual([
      undefined,
      undefined,
      'CloudUnavailable',
    ]);
  });

  test('is reported at its end if it waited so long for an answer itself', () => {
    expect(reasons(creating, at(0, kept, { lasts: 31_000 }))).toEqual(['CloudUnavailable']);
  });

  test('is not reported after a single conflict, however long its visit or an earlier silence lasted', () => {
    const edited: GivenService = {
      status: { ...readyStatus, observedGeneration: 1 },
      metadata: { generation: 2 },
    };
    const outcome: Outcome = { type: 'conflict', step: kept };
    const conflict = (ms: number, lasts = 0) => at(ms, kept, { outcome, lasts });
    expect(reasons(edited, conflict(0, 5_000), conflict(6_000), conflict(10_000))).toEqual([
      undefined,
      undefined,
      'CloudUnavailable',
    ]);
    expect(reasons(creating, at(0, kept), conflict(31_000))).toEqual([undefined, undefined]);
  });

  test.each(['list', 'progressList'])(
    'is reported at once if the %s has failed for half a minute',
    (name) => {
      const failing = { [name]: listFacts({ failingSince: noon - reportAfterMs }) };
      expect(reasons(creating, at(0, kept, { given: failing }))).toEqual(['CloudUnavailable']);
      expect(reasons({ status: readyStatus }, at(0, kept, { given: failing }))).toEqual([
        undefined,
      ]);
    },
  );

  test('is reported later if another visit learned something meanwhile', () => {
    expect(reasons(creating, at(0, kept), at(20_000, done), at(31_000, kept))).toEqual([
      undefined,
      'Available',
      undefined,
    ]);
  });

  test('changes no Ready object; a write that fails for half a minute does', () => {
    const lost = (type: 'conflict' | 'writeFailed'): Outcome =>
      type === 'conflict' ? { type, step: kept } : { type, step: kept, object: serviceObject() };
    expect(reasons({ status: readyStatus }, at(0, kept), at(90_000, kept))).toEqual([
      undefined,
      undefined,
    ]);
    for (const outcome of [lost('conflict'), lost('writeFailed')])
      expect(
        reasons({ status: readyStatus }, at(0, kept, { outcome }), at(90_000, kept, { outcome })),
      ).toEqual([undefined, 'CloudUnavailable']);
  });
});

test('a value in a list that a read of the resource alone contradicts is no drift, however long that lasts', () => {
  const conflict: Outcome = { type: 'conflict', step: kept };
  const driftAfter = (outcome: Outcome) => {
    const { cloud, mirror } = serviceSituation({ seen: { metadata: { environment: 'PROD' } } });
    const visits = looks(
      { status: readyStatus },
      at(0, done),
      at(1_000, kept, { outcome }),
      at(90_000, unread, { outcome, given: { cloud, mirror } }),
    );
    return visits.map(({ seen }) => seen.length);
  };
  expect(driftAfter(nothing)).toEqual([0, 0, 1]);
  expect(driftAfter(conflict)).toEqual([0, 0, 0]);
});

describe.each(Object.entries(askingStatuses))('an object with reason %s', (reason, status) => {
  const given: GivenService = {
    status,
    ...(reason === 'Suspended' ? { spec: { suspend: true } } : {}),
  };

  test('keeps its question while the cloud cannot be read, and its other condition names the trouble', () => {
    const [, last] = looks(given, at(0, kept), at(reportAfterMs, kept));
    expect(statusOf(last?.status)?.conditions).toMatchObject(
      status.conditions.map((each) => ({
        ...each,
        message: each.type === 'Stalled' ? unread.message : 'there',
      })),
    );
  });

  test('reports something else that a person must do', () => {
    const other = keep(stall('Unauthorized', 'x'));
    expect(reasons(given, at(0, other), at(reportAfterMs, other))).toEqual([
      undefined,
      'Unauthorized',
    ]);
  });

  test('reports what a later visit learns', () => {
    expect(
      reasons(given, at(0, kept), at(reportAfterMs, kept), at(40_000, stall('Lost', 'gone')))[2],
    ).toBe('Lost');
  });
});

test.each<[sentence: string, given: GivenService]>([
  ['was only waiting', creating],
  [
    'asked for a change of the spec, which was made',
    { status: notReady('Stalled', 'Rejected', 0) },
  ],
  ['was suspended, and goes on', { status: suspendedStatus(0) }],
])('an object that %s reports that the cloud cannot be read', (_, given) => {
  expect(reasons(given, at(0, kept), at(reportAfterMs, kept))).toEqual([
    undefined,
    'CloudUnavailable',
  ]);
});

test('progress that has been unreadable for half a minute is reported', () => {
  const working = wait('Resizing', 'at work', { inProgressSince: noon });
  const given = { progressList: listFacts({ begunAt: noon, failure: cloudError() }) };
  const told = reasons(
    creating,
    at(0, working),
    at(29_000, working, { given }),
    at(30_000, working, { given }),
  );
  expect(told).toEqual([undefined, 'Resizing', 'CloudUnavailable']);
});

const atWork = wait('Deleting', 'x', { inProgressSince: 0 });
const deletion = call(
  {
    type: 'delete',
    id: 'a',
    operation: 'deleteService',
    args: [serviceId.parse('a')],
    record: undefined,
    isUnshown: false,
  },
  { reason: 'Deleting', message: 'x' },
);
const accepted: Outcome = {
  type: 'done',
  object: serviceObject(),
  accepted: { operation: 'delete', wanted: 'a' },
};

test.each<
  [
    sentence: string,
    visits: readonly (readonly [at: number, Look])[],
    told: readonly (string | undefined)[],
  ]
>([
  [
    'work of the cloud is reported once it has lasted a second and a half',
    [at(0, atWork), at(1_000, atWork), at(1_500, atWork)],
    [undefined, undefined, 'Deleting'],
  ],
  [
    'an accepted deletion is reported like the work that follows it',
    [at(0, deletion, { outcome: accepted }), at(1_000, atWork), at(1_500, atWork)],
    [undefined, undefined, 'Deleting'],
  ],
  [
    'a wait for something else is reported at once',
    [at(0, wait('WaitingForReference', 'x'))],
    ['WaitingForReference'],
  ],
  [
    'each work has its own beginning',
    [at(0, atWork), at(5_000, done), at(6_000, atWork)],
    [undefined, 'Available', undefined],
  ],
])('%s', (_, visits, told) => {
  expect(reasons(creating, ...visits)).toEqual(told);
});

const works: readonly (readonly [string, Step])[] = [
  ...['QUEUED', 'CONFIGURING', 'PAUSING', 'RESUMING', 'UNSTABLE', 'DANCING'].map(
    (status) =>
      [
        `a service that is ${status}`,
        decideService(serviceSituation({ seen: { status } })),
      ] as const,
  ),
  ...['creating', 'resizing', 'dancing'].map(
    (status) =>
      [
        `a replica set that is ${status}`,
        decideReplicaSet(replicaSetSituation({ seen: { status } })),
      ] as const,
  ),
  [
    'a service that is being deleted',
    decideService(
      serviceSituation({ deletion: { requested: true }, seen: { status: 'DELETING' } }),
    ),
  ],
];

/** The message about this work while status shows the state since these milliseconds. */
function messageAfter(step: Step, ms: number, state = 'QUEUED'): string {
  const status = {
    ...notReady('Reconciling', 'Creating'),
    state,
    stateSince: new Date(noon - ms).toISOString(),
  };
  const memory = { ...freshMemory(), unreportedSince: noon - 2_000 };
  const situation = serviceSituation({ status, seen: { status: 'QUEUED' } });
  return (
    syncedOf({
      status: statusOf(conclude(visitOf(serviceKind, situation, step, { memory })).status),
    })?.message ?? ''
  );
}

const since =
  "; no new state since 2026-11-21T11:50:00.000Z: ask the cloud's support with the id svc-1";

test.each(works)('%s for ten minutes: the status names the time and the remedy', (_, step) => {
  const message = 'message' in step ? step.message : '';
  expect(messageAfter(step, longWorkMs - 1)).toBe(message);
  expect(messageAfter(step, longWorkMs)).toBe(`${message}${since}`);
});

test.each([
  ['another state before', longWorkMs, 'CONFIGURING'],
  ['a state since a time ahead', -longWorkMs, 'QUEUED'],
])('the work of a resource whose status shows %s began now', (_, ms, state) => {
  expect(messageAfter(wait('Creating', 'at work', { inProgressSince: 0 }), ms, state)).toBe(
    'at work',
  );
});

test.each<[string, Step, number]>([
  ['after ten minutes', done, 600_000],
  ['earlier, where something ends by itself', { ...done, afterMs: 90_000 }, 90_000],
  ['no later for that', { ...done, afterMs: 900_000 }, 600_000],
])('the visit after one at which all was as wanted comes %s', (_, step, afterMs) => {
  expect(conclude(visitOf(serviceKind, serviceSituation(), step)).next).toEqual({
    afterMs,
    resync: true,
  });
});

test.each<[string, Step, object, number]>([
  ['as wanted', done, { runningHours: ['Sat 12:03-14:00 UTC'] }, 180_000],
  [
    'held',
    { type: 'held', reason: 'WaitingForWindow', message: 'it waits' },
    { runningHours: ['Sat 12:03-14:00 UTC'] },
    180_000,
  ],
  ['as wanted for a longer time', done, { runningHours: ['Sat 14:00-15:00 UTC'] }, 600_000],
])(
  'the visit of a service that is %s comes at the next edge of its running hours',
  (_, step, spec, afterMs) => {
    expect(conclude(visitOf(serviceKind, serviceSituation({ spec }), step)).next).toMatchObject({
      afterMs,
    });
  },
);

test('a change of a service that has been READY for days is no long work', () => {
  const status = {
    ...readyStatus,
    state: 'READY',
    stateSince: new Date(noon - 7 * longWorkMs).toISOString(),
  };
  const lastOperation = { operation: 'resizeService', wanted: '2000m/8GB', at: noon };
  const resizing = wait('Resizing', 'at work', { inProgressSince: noon });
  const memory = { ...freshMemory(), unreportedSince: noon - 2_000 };
  const { status: told, work } = conclude(
    visitOf(serviceKind, serviceSituation({ status, lastOperation }), resizing, { memory }),
  );
  expect([syncedOf({ status: statusOf(told) })?.message, work]).toMatchObject([
    'at work',
    { since: noon },
  ]);
});

const messagesOf = ({ seen }: Pick<Conclusion, 'seen'>) => seen.map(({ event }) => event?.message);
function shownIn(environment: 'DEV' | 'PROD') {
  const { cloud, mirror } = serviceSituation({ seen: { metadata: { environment } } });
  return { cloud, mirror };
}
const toProd =
  'environment was changed elsewhere from none to PROD; the spec does not name it: it stays';

test('drift is reported by the process that saw the earlier value; a status, perhaps of an earlier version without the field, proves none', () => {
  const given = { status: { ...readyStatus, service: {} } };
  const changed = shownIn('PROD');
  const told = looks(
    given,
    at(0, done),
    at(1_000, done, { given: changed }),
    at(2_000, done, { given: changed }),
  );
  expect(told.map(messagesOf)).toEqual([[], [toProd], []]);
});

test('the effect of an own change is no drift, and drift right after the end of the change is reported', () => {
  const ended = { lastOperation: { operation: 'setServiceEnvironment', wanted: 'DEV', at: noon } };
  const given = { status: readyStatus };
  const told = looks(
    given,
    at(0, done),
    at(1_000, done, { given: { ...shownIn('DEV'), ...ended } }),
    at(2_000, done, { given: shownIn('PROD') }),
  );
  expect(told.map(messagesOf)).toEqual([[], [], [toProd.replace('none', 'DEV')]]);
});

describe('the status after the release of an object', () => {
  const deletionTimestamp = '2026-11-21T12:00:00Z';
  const released: Step = {
    type: 'release',
    message: 'the service is gone from the cloud',
    released: { id: 'svc-1', projectId: 'prj-1', fate: 'gone' },
  };
  const afterRelease = (
    finalizers: readonly string[],
    more: Parameters<typeof visitOf>[3] = {},
  ) => {
    const given = {
      status: readyStatus,
      metadata: { deletionTimestamp, finalizers: [cloudResourceFinalizer, ...finalizers] },
    };
    const situation = serviceSituation({
      ...given,
      cloud: { state: 'absent' },
      deletion: { requested: true, started: true },
    });
    const outcome = { type: 'released', object: situation.object } as const;
    return conclude(visitOf(serviceKind, situation, released, { outcome, ...more }));
  };

  test('names the end and the finalizers of other clients', () => {
    const { status, next } = afterRelease([
      'example.com/hold',
      'example.com/log',
      'foregroundDeletion',
    ]);
    const message =
      'the service is gone from the cloud; the finalizers example.com/hold, example.com/log hold the object';
    expect(statusOf(status)?.conditions).toMatchObject([
      { type: 'Ready', status: 'False', reason: 'Deleting', message },
      { type: 'Synced', status: 'False', reason: 'Deleting', message },
      { type: 'Reconciling', status: 'True', reason: 'Deleting', message },
    ]);
    expect(next).toBe('forget');
  });

  test('is reported although the cloud began to work a moment ago, since no later visit reports', () => {
    const memory = { ...freshMemory(), unreportedSince: noon };
    expect(afterRelease(['example.com/hold'], { memory }).status).toBeDefined();
  });

  test.each<[string, Parameters<typeof afterRelease>]>([
    ['of an object that only the operator holds', [[]]],
    ['of an object that Kubernetes removes after its dependents', [['foregroundDeletion']]],
    [
      'that failed',
      [
        ['example.com/hold'],
        { outcome: { type: 'writeFailed', step: kept, object: serviceObject() } },
      ],
    ],
  ])('is not written after a release %s', (_, args) => {
    expect(afterRelease(...args).status).toBeUndefined();
  });
});
