import { changing } from '../../../support/steps.ts';
import { describe } from 'vitest';
import { connectionAnnotations } from '../../../../src/resources/connection-secret.ts';
import type { ObservedSecret } from '../../../../src/reconcile/situation/observed-secret.ts';
import { copyOrigin, rotationOrigin } from '../../../../src/reconcile/step/password-origin.ts';
import { nameTaken } from '../../../../src/reconcile/connection/secret-refused.ts';
import type { WatchedSecret } from '../../../../src/resources/watched-secret.ts';
import { connectionFinalizer } from '../../../../src/resources/annotations.ts';
import { connectionSecret, ourSecret } from '../../../support/our-secret.ts';
import { decides } from '../../../support/policy-rows.ts';
import { judged, morning, noon, notCreated, opened, recordOf } from '../../../support/situation.ts';

const available = {
  type: 'done',
  reason: 'Available',
  message: 'the service is available at db.example.com:5432; Secret "orders-db" has the connection',
} as const;
const nowhere = { pending: undefined, pendingBlocked: undefined };
const deletionTimestamp = '2026-11-21T11:59:00Z';
const holder = 'example.com/hold';
const absent = (name = 'orders-db', pending?: WatchedSecret): ObservedSecret => ({ ...nowhere, name, pending, state: 'absent' });
const unusable = (name: string): ObservedSecret => ({ ...nowhere, name, state: 'unusable', why: nameTaken(name) });
const unread: ObservedSecret = { ...nowhere, name: 'orders-db', state: 'unread' };
/** The Secret beside the connection Secret. @param origin of the password in it */
const pending = (origin: string) =>
  connectionSecret({ metadata: { name: 'orders-db-pending', annotations: { [connectionAnnotations.passwordHandled]: origin } } });
const copied = pending(copyOrigin('initial'));
const onItsWay = pending(rotationOrigin('2'));
const deleted = (...others: readonly string[]) =>
  ourSecret({ metadata: { deletionTimestamp, finalizers: [connectionFinalizer, ...others] } });
const inItsWay = (name: string) =>
  ({
    type: 'stall',
    reason: 'SecretConflict',
    retryAfterMs: 60_000,
    message: `Secret "${name}" exists and was not made for this object`,
  }) as const;
const named = (name: string) =>
  ({
    type: 'write',
    action: { type: 'writeRecord', record: recordOf('svc-1', { secretName: name }) },
    message: `Secret "${name}" will have the connection`,
  }) as const;
const stores = { type: 'write', action: { type: 'storeConnection' }, message: 'Secret "orders-db" is brought up to date' } as const;
const busy = { status: 'CONFIGURING' };
const dev = { environment: 'DEV' };
const setsEnvironment = {
  type: 'call',
  reason: 'SettingEnvironment',
  action: changing('setServiceEnvironment', ['svc-1', { environment: 'DEV' }], 'none', 'DEV'),
} as const;
const sends = {
  type: 'call',
  reason: 'RotatingPassword',
  action: { type: 'setPassword', id: 'svc-1', origin: rotationOrigin('2'), source: undefined },
} as const;

describe('a connection Secret', () => {
  decides([
    ['that is as it should be is left', {}, available],
    ['that nobody could read is left', { secret: unread }, available],
    [
      'of who only looks is left with all that waits in its place, also for a lost service',
      { secret: { ...ourSecret(), outdated: onItsWay }, spec: { managementPolicy: 'Observe' } },
      { type: 'done', reason: 'Observed' },
    ],
    [
      'that is missing is made',
      { secret: absent(), record: { password: 'unmanaged' } },
      { ...stores, message: 'Secret "orders-db" is missing' },
    ],
    ['that is somebody else’s is never written', { secret: unusable('orders-db') }, inItsWay('orders-db')],
  ]);
});

describe('a create whose Secret', () => {
  const tells = { type: 'wait', reason: 'InternalError', message: 'Secret "orders-db" is not known to be there or not' } as const;
  const nothing = judged({ kind: 'none' });
  decides([
    ['is not known to be there or not waits', { ...notCreated, secret: unread }, { type: 'keep', delayedReport: tells }],
    ['is not known after a create that made nothing waits', { ...opened(nothing), secret: unread }, { type: 'keep', delayedReport: tells }],
    ['would be somebody else’s is not sent', { ...opened(nothing), secret: unusable('orders-db') }, inItsWay('orders-db')],
  ]);
});

describe('a connection Secret that somebody deleted', () => {
  const remade = {
    type: 'write',
    action: { type: 'remakeConnection' },
    message: 'Secret "orders-db" was deleted: it is made again with the same password',
  } as const;
  const held = {
    type: 'stall',
    reason: 'SecretConflict',
    retryAfterMs: 60_000,
    message: `Secret "orders-db" is being deleted, and the finalizer ${holder} holds it: have whoever set that finalizer take it off`,
  } as const;
  decides([
    ['is made again', { secret: deleted() }, remade],
    ['is made again while the cloud is at work', { secret: deleted(), seen: busy }, remade],
    ['is made again for who only looks, too', { secret: deleted(), spec: { managementPolicy: 'Observe' } }, remade],
    ['is made again before a change', { secret: deleted(), spec: dev }, remade],
    ['is put back from its copy', { secret: absent('orders-db', copied) }, remade],
    ['is put back also when another took its place', { secret: ourSecret({}, { pending: copied }) }, remade],
    ['is not made from a password on its way', { secret: ourSecret({}, { pending: onItsWay }) }, sends],
    ['is not made again while it was not read', { secret: { ...unread, pending: copied } }, available],
    [
      'is not made again where another one is in its place',
      { secret: { ...nowhere, ...unusable('orders-db'), pending: copied } },
      inItsWay('orders-db'),
    ],
    [
      'is not made again as long as somebody holds it',
      { secret: deleted(holder), seen: busy },
      { type: 'wait', reason: 'Creating', inProgressSince: Date.parse(morning) },
    ],
    ['and that somebody holds does not keep from changing the service', { secret: deleted(holder), spec: dev }, setsEnvironment],
    ['and that somebody holds is told when nothing else is left', { secret: deleted(holder) }, held],
    [
      'goes with its object',
      { secret: deleted(), deletion: { requested: true } },
      { type: 'call', reason: 'Deleting', action: { type: 'delete', id: 'svc-1' } },
    ],
    ['of a service that is lost tells that first', { secret: deleted(), cloud: { state: 'absent' } }, { type: 'stall', reason: 'Lost' }],
  ]);
});

describe('the name of the connection Secret', () => {
  const unnamed = { record: { secretName: undefined } };
  decides([
    ['is written down before it is made', { ...unnamed, secret: absent() }, named('orders-db')],
    ['is written down where the Secret is there', unnamed, named('orders-db')],
    ['is written down before a change', { ...unnamed, spec: dev }, named('orders-db')],
    ['is not written down for who only looks', { ...unnamed, spec: { managementPolicy: 'Observe' } }, { type: 'done', reason: 'Observed' }],
    [
      'is not written down while the cloud is at work',
      { ...unnamed, seen: busy },
      { type: 'wait', reason: 'Creating', inProgressSince: Date.parse(morning) },
    ],
    ['is not written down where somebody else’s is in the way', { ...unnamed, secret: unusable('orders-db') }, inItsWay('orders-db')],
    ['may be another one while nothing was made under it', { secret: absent(), nextSecret: absent('mine') }, named('mine')],
    [
      'may be another one while nothing was made under it, but none that is somebody else’s',
      { secret: absent(), nextSecret: unusable('mine'), record: { password: 'unmanaged' } },
      inItsWay('mine'),
    ],
    [
      'may be another one also while a password is on its way',
      { secret: absent('orders-db', onItsWay), nextSecret: absent('mine') },
      named('mine'),
    ],
    [
      'is that of a begun move, which drops nothing then',
      { secret: absent(), nextSecret: ourSecret({}, { name: 'mine' }), record: { nextSecretName: 'mine' } },
      named('mine'),
    ],
    [
      'is that from before a move, which drops nothing then',
      { secret: absent(), nextSecret: ourSecret({}, { name: 'mine' }), record: { previousSecretName: 'mine' } },
      named('mine'),
    ],
  ]);
});

describe('another name for the connection Secret', () => {
  const nextSecret = absent('mine');
  const moves = { type: 'write', action: { type: 'moveConnection', to: 'mine' }, message: 'Secret "orders-db" becomes "mine"' } as const;
  const drops = { type: 'write', action: { type: 'dropConnection', name: 'before' }, message: 'Secret "before" is replaced' } as const;
  const previous = { record: { previousSecretName: 'before' } };
  decides([
    ['moves it', { nextSecret }, moves],
    ['moves it before it is brought up to date', { nextSecret, secret: ourSecret({ consistent: false }) }, moves],
    ['moves it after a change', { nextSecret, spec: dev }, setsEnvironment],
    ['moves it also to where one of ours is', { nextSecret: ourSecret({}, { name: 'mine' }) }, moves],
    ['does not move it for who only looks', { nextSecret, spec: { managementPolicy: 'Observe' } }, { type: 'done', reason: 'Observed' }],
    ['that is somebody else’s is told, and the old one stays', { nextSecret: unusable('mine') }, inItsWay('mine')],
    ['is the way out where somebody else’s took the place of ours', { nextSecret, secret: unusable('orders-db') }, named('mine')],
    ['waits for a password on its way', { nextSecret, secret: ourSecret({}, { pending: onItsWay }) }, sends],
    [
      'moves it though the cloud refuses a password on its way',
      {
        nextSecret,
        secret: ourSecret({}, { pending: onItsWay }),
        refusals: new Map([
          [`updateServicePassword ${rotationOrigin('2')}`, { generation: 1, again: noon + 60_000, times: 1, step: inItsWay('x') }],
        ]),
      },
      moves,
    ],
    [
      'does not move what is being deleted and held',
      { nextSecret, secret: deleted(holder) },
      { ...inItsWay('orders-db'), message: 'is being deleted, and the finalizer' },
    ],
    ['does not move what nobody could read', { nextSecret, secret: unread }, available],
    ['is complete before the old one goes', previous, drops],
    ['has the old one dropped before it moves again', { ...previous, nextSecret }, drops],
    ['goes on with the move that was begun', { nextSecret, record: { nextSecretName: 'mine' } }, moves],
    ['waits until what an earlier move began is dropped', { nextSecret, record: { nextSecretName: 'before' } }, drops],
    ['is taken back: what the move began is dropped', { record: { nextSecretName: 'before' } }, drops],
    [
      'that is over, and whose new Secret is gone: the old one has the connection again',
      { ...previous, secret: ourSecret({}, { name: 'before' }), nextSecret: absent() },
      named('before'),
    ],
    [
      'is the way out also in the middle of the move',
      { nextSecret, secret: unusable('orders-db'), record: { nextSecretName: 'mine' } },
      named('mine'),
    ],
    ['has the old one dropped though the next is somebody else’s', { ...previous, nextSecret: unusable('mine') }, drops],
  ]);
});
