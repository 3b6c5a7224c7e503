import { describe, expect, test } from 'vitest';
import { rotationOrigin } from '../../../../src/reconcile/step/password-origin.ts';
import type { Step } from '../../../../src/reconcile/step/step.ts';
import { decideReplicaSet } from '../../../../src/reconcile/kinds/replica-set/policy.ts';
import { connection, connectionSecret, ourSecret } from '../../../support/our-secret.ts';
import { decided } from '../../../support/decided.ts';
import { rotate, secretWith } from '../../../support/passwords.ts';
import { recordOf, type GivenService } from '../../../support/situation.ts';
import { replicaSecret, replicaSetSituation } from '../../../support/situation-of-others.ts';

/** All that an action says: it is carried out without another look at what was decided upon. */
type Row = readonly [sentence: string, given: GivenService, action: object];

const secret = { name: 'orders-db', id: 'svc-1', projectId: 'prj-1', labels: {}, annotations: {} };
const asked = { connectionSecret: { labels: { team: 'a' }, annotations: { note: 'b' } } };
const absent = { name: 'orders-db', pending: undefined, pendingBlocked: undefined, state: 'absent' } as const;
const deleted = ourSecret({ metadata: { deletionTimestamp: '2026-11-21T11:59:00Z' } });
const aboutTheSecret: readonly Row[] = [
  [
    'the Secret is stored for the resource, with the connection and what the user wants on it',
    { secret: ourSecret({ consistent: false }), spec: asked },
    { type: 'storeConnection', secret: { ...secret, ...asked.connectionSecret }, connection, passwordFrom: undefined },
  ],
  ['the Secret is made again for the resource', { secret: deleted }, { type: 'remakeConnection', secret }],
  [
    'the Secret moves: the record names both until the old one is gone',
    { nextSecret: { ...absent, name: 'mine' } },
    {
      type: 'moveConnection',
      to: 'mine',
      secret,
      connection,
      passwordFrom: undefined,
      record: recordOf('svc-1', { secretName: 'mine', previousSecretName: 'orders-db' }),
    },
  ],
  [
    'the old Secret goes, and the record forgets it',
    { record: { previousSecretName: 'before' } },
    { type: 'dropConnection', name: 'before', record: recordOf('svc-1') },
  ],
];
const aboutThePassword: readonly Row[] = [
  [
    'the origin of the password is noted in the Secret',
    secretWith(undefined),
    { type: 'notePassword', origin: 'as found', secret, connection, passwordFrom: undefined },
  ],
  [
    'a password of ours is set: the record says so already',
    { ...rotate, ...secretWith('rotation r0') },
    {
      type: 'setPassword',
      id: 'svc-1',
      origin: rotationOrigin('r1'),
      source: undefined,
      secret,
      connection,
      replaces: undefined,
      record: undefined,
    },
  ],
  [
    'a password that was not ours is set: the record says so afterwards',
    { ...rotate, ...secretWith('rotation r0'), record: { password: 'unmanaged', replaces: 'svc-0' } },
    {
      type: 'setPassword',
      id: 'svc-1',
      origin: rotationOrigin('r1'),
      source: undefined,
      secret,
      connection,
      replaces: 'svc-0',
      record: recordOf('svc-1', { password: 'managed', replaces: 'svc-0' }),
    },
  ],
];

describe('an action of a service carries all that is done', () => {
  test.each([...aboutTheSecret, ...aboutThePassword])('%s', (_, given, action) => {
    expect(actionOf(decided(given))).toEqual(action);
  });
});

const ofReplicaSet = { name: 'reads-replicas-db', id: 'rs-1', projectId: 'prj-1', labels: {}, annotations: {} };

describe('an action of a replica set carries all that is done', () => {
  test('the Secret is stored with the password of its service', () => {
    const step = decideReplicaSet(replicaSetSituation({ secret: replicaSecret({ consistent: false }), parentSecret: connectionSecret() }));
    expect(actionOf(step)).toMatchObject({ type: 'storeConnection', secret: ofReplicaSet, passwordFrom: 'orders-db' });
  });
  test('a leftover goes, and the record stays as it is', () => {
    const pending = connectionSecret({ metadata: { name: 'reads-replicas-db-pending' } });
    const step = decideReplicaSet(replicaSetSituation({ secret: replicaSecret({}, { pending }) }));
    expect(actionOf(step)).toEqual({ type: 'dropConnection', name: 'reads-replicas-db-pending', record: undefined });
  });
});

function actionOf(step: Step): unknown {
  return 'action' in step ? step.action : step;
}
