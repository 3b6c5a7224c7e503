import { expect, test } from 'vitest';
import { recordOf, type GivenService } from '../../../../support/situation.ts';
import { decided, type Row } from '../../../../support/decided.ts';
import {
  awaited,
  edit,
  give,
  none,
  rotate,
  rotated,
  secretWith,
  set,
  source,
  sourceOrigin,
  tooLong,
  tooShort,
} from '../../../../support/passwords.ts';
import { actionLike } from '../../../../support/step-like.ts';
import { asked as change, available, paused, stopped, stored } from '../../../../support/steps.ts';

/** When a password is set, and which one. (docs/safety.md, Passwords) */

const noted = (origin: string, message: string) => ({ type: 'write', action: actionLike({ type: 'notePassword', origin }), message });
const unmanaged = { record: recordOf('svc-1', { password: 'unmanaged' }) };
const noSecret: Pick<GivenService, 'secret'> = {
  secret: { name: 'orders-db', pending: undefined, pendingBlocked: undefined, state: 'absent' },
};
const withHint = {
  ...available,
  message: `${available.message}, without a password: nobody has told it; set one with spec.password`,
};

const lost = set('initial', undefined, 'the password is not in Secret "orders-db": setting a new one');

const asItIs: readonly Row[] = [
  ['it is in the Secret: it stays', {}, available],
  ['it is not in the Secret, and ours to set: a new one is set', secretWith('initial', none), lost],
  ['the Secret is missing, and the password ours to set: a new one is set', noSecret, lost],
  ['the Secret is missing, and the password not ours to set', { ...unmanaged, ...noSecret }, stored('is missing')],
  [
    'it is not ours to set, and not in the Secret: it is noted',
    { ...unmanaged, ...secretWith(undefined, none) },
    noted('as found', 'the password is left as it was found'),
  ],
  ['it is noted as it was found: nothing is set', { ...unmanaged, ...secretWith('as found', none) }, withHint],
  [
    'it is in the Secret, and nobody noted where it came from',
    secretWith(undefined),
    noted('as found', 'the password is left as it was found'),
  ],
  [
    'nobody has looked at the Secret: nothing is concluded',
    { secret: { name: 'orders-db', pending: undefined, pendingBlocked: undefined, state: 'unread' } },
    available,
  ],
  [
    'the service is stopped',
    { ...secretWith('initial', none), seen: paused },
    stopped('the service is stopped; set spec.powerState to Running to start it; when it runs again: password'),
  ],
];

const rotation: readonly Row[] = [
  ['a new text: a new password is set', { ...rotate, ...secretWith('initial') }, rotated],
  ['another text than the last: a new password is set', { ...rotate, ...secretWith('rotation r0') }, rotated],
  ['the same text: it stays', { ...rotate, ...secretWith('rotation r1') }, available],
  [
    'a text that was there before the Secret was known is noted',
    { ...rotate, ...secretWith(undefined) },
    noted('rotation r1', 'spec.password.rotation is noted'),
  ],
  [
    'the same for a password that is not ours to set',
    { ...rotate, ...unmanaged, ...secretWith(undefined, none) },
    noted('rotation r1', 'spec.password.rotation is noted'),
  ],
  [
    'the password is not in the Secret, and ours to set: it is set though the text is the same',
    { ...rotate, ...secretWith('rotation r1', none) },
    rotated,
  ],
  ['the Secret is missing, and the password ours to set', { ...rotate, ...noSecret }, rotated],
  ['the Secret is missing, and the password not ours to set', { ...rotate, ...unmanaged, ...noSecret }, stored('is missing')],
  [
    'the service is stopped: it waits until it runs',
    { ...rotate, seen: paused },
    stopped('the service is stopped; set spec.powerState to Running to start it; when it runs again: password'),
  ],
  [
    'nobody has looked at the Secret',
    { ...rotate, secret: { name: 'orders-db', pending: undefined, pendingBlocked: undefined, state: 'unread' } },
    available,
  ],
  [
    'the Secret is somebody else’s: no password is set that could not be stored',
    {
      ...rotate,
      secret: {
        name: 'orders-db',
        pending: undefined,
        pendingBlocked: undefined,
        state: 'unusable',
        why: { type: 'stall', reason: 'SecretConflict', message: 'in the way' },
      },
    },
    { type: 'stall', reason: 'SecretConflict', message: 'in the way' },
  ],
];

const given = set(sourceOrigin, source, 'setting the password of Secret "mine"');
const watch = { type: 'write', action: { type: 'watchPasswordSource', source }, message: 'changes of Secret "mine" are watched' };

const fromSecret: readonly Row[] = [
  ['a new one is set', { ...give(), ...secretWith('initial') }, given],
  ['the same one stays', { ...give(), ...secretWith(sourceOrigin) }, available],
  ['one that was there before the Secret was known is set: it is what the user asks for', { ...give(), ...secretWith(undefined) }, given],
  ['it did not reach the Secret, and the password is ours to set', { ...give(), ...secretWith(sourceOrigin, none) }, given],
  [
    'it did not reach the Secret, and the password is not ours to set',
    { ...give(), ...unmanaged, ...secretWith(sourceOrigin, none) },
    withHint,
  ],
  ['before it is set, changes of the Secret are watched', { ...give({ isWatched: false }), ...secretWith('initial') }, watch],
  ['too short: it is not sent', { ...give({ length: 'tooShort' }), ...secretWith('initial') }, tooShort('the password of Secret "mine"')],
  ['too long: it is not sent', { ...give({ length: 'tooLong' }), ...secretWith('initial') }, tooLong('the password of Secret "mine"')],
  [
    'too short, and the Secret has none: none is made instead',
    { ...give({ length: 'tooShort' }), ...secretWith('initial', none) },
    tooShort('the password of Secret "mine"'),
  ],
  [
    'too short: the other changes go on',
    { ...give({ length: 'tooShort' }), ...secretWith('initial'), spec: { environment: 'DEV' } },
    change(
      { operation: 'setServiceEnvironment', body: { environment: 'DEV' } },
      'none',
      'DEV',
      'SettingEnvironment',
      'setting the environment from none to DEV; then: password',
    ),
  ],
];

const wait = { type: 'wait', reason: 'WaitingForReference', message: 'spec.password.secretRef "mine" not found', afterMs: 30_000 };
const ring: GivenService = { password: { state: 'refused', message: 'it comes back to this object' } };
const ringed = { type: 'stall', reason: 'Rejected', message: 'it comes back to this object', retryAfterMs: 30_000 };

const notThere: readonly Row[] = [
  ['it is waited for', { ...awaited, ...secretWith('initial') }, wait],
  ['it is waited for, and none is made instead where the Secret has none', { ...awaited, ...secretWith('initial', none) }, wait],
  ['it is waited for, and what is there is not noted', { ...awaited, ...secretWith(undefined) }, wait],
  ['it can never be had from there', { ...ring, ...secretWith('initial') }, ringed],
  [
    'it can never be had from there, and none is made instead where the Secret has none',
    { ...ring, ...secretWith('initial', none) },
    ringed,
  ],
];

const edited = set('edited secret-uid 1', 'edited', 'setting the password that was written into Secret "orders-db"');

const written: readonly Row[] = [
  ['it is set', secretWith('initial', edit), edited],
  ['it is set, whoever set the last', { ...unmanaged, ...secretWith('as found', edit) }, edited],
  ['it is set while another one is waited for', { ...awaited, ...secretWith('initial', edit) }, edited],
  ['it is set where rotation asks for nothing new', { ...rotate, ...secretWith('rotation r1', edit) }, edited],
  ['it is set where rotation was there before the Secret was known', { ...rotate, ...secretWith(undefined, edit) }, edited],
  ['it gives way to a new text of rotation', { ...rotate, ...secretWith('initial', edit) }, rotated],
  ['it gives way to a new password of the user’s Secret', { ...give(), ...secretWith('initial', edit) }, given],
  [
    'it is set though changes of the user’s Secret are not watched',
    { ...give({ isWatched: false }), ...secretWith(sourceOrigin, edit) },
    edited,
  ],
  [
    'too short: it is not sent',
    secretWith('initial', { ...edit, length: 'tooShort' }),
    tooShort('the password that was written into Secret "orders-db"'),
  ],
  [
    'too long: it is not sent',
    secretWith('initial', { ...edit, length: 'tooLong' }),
    tooLong('the password that was written into Secret "orders-db"'),
  ],
];

test.each(asItIs)('the spec says nothing of it: %s', (_, situation, expected) => {
  expect(decided(situation)).toEqual(expected);
});

test.each(rotation)('rotation: %s', (_, situation, expected) => {
  expect(decided(situation)).toEqual(expected);
});

test.each(fromSecret)('from a Secret of the user: %s', (_, situation, expected) => {
  expect(decided(situation)).toEqual(expected);
});

test.each(notThere)('from a Secret of the user that does not have it: %s', (_, situation, expected) => {
  expect(decided(situation)).toEqual(expected);
});

test.each(written)('written into the connection Secret: %s', (_, situation, expected) => {
  expect(decided(situation)).toEqual(expected);
});
