import { expect, test } from 'vitest';
import { connectionAnnotations } from '../../../../../src/reconcile/connection/connection-secret.ts';
import type { RefusedChange } from '../../../../../src/reconcile/memory.ts';
import type { Step } from '../../../../../src/reconcile/step.ts';
import { connectionFinalizer } from '../../../../../src/resources/annotations.ts';
import { noon, ourSecret, recordOf } from '../../../../support/situation.ts';
import { decided, type Given, type Row } from '../../../../support/decided.ts';
import { asked as change, available, paused, saying, stopped, stored } from '../../../../support/steps.ts';

/** When a password is set, which one, and when none may be sent. (docs/safety.md, Passwords) */

type Source = { readonly name: string; readonly key: string } | 'edited' | undefined;
type PartOfSecret = Parameters<typeof ourSecret>[0];

const set = (origin: string, source: Source, message: string, givesUp?: string) => ({
  type: 'call',
  action: { type: 'setPassword', id: 'svc-1', origin, source, ...(givesUp === undefined ? {} : { givesUp }) },
  reason: 'RotatingPassword',
  message,
});
const noted = (origin: string, message: string) => ({ type: 'write', action: { type: 'notePassword', origin }, message });
const handledAs = (origin: string | undefined) => ({
  metadata: { annotations: { [connectionAnnotations.passwordHandled]: origin } as Readonly<Record<string, string>> },
});
/** The connection Secret, and where the password in it came from. */
const secretWith = (handled: string | undefined, content: PartOfSecret = {}): Pick<Given, 'secret'> => ({
  secret: ourSecret({ ...handledAs(handled), ...content }),
});
const unmanaged = { record: recordOf('svc-1', { password: 'unmanaged' }) };
const noSecret: Pick<Given, 'secret'> = { secret: { name: 'orders-db', pending: undefined, pendingBlocked: undefined, state: 'absent' } };
const none = { password: 'none', passwordDigest: undefined } as const;
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
    stopped('the service is stopped; set spec.powerState to Running to start it'),
  ],
];

const rotate: Given = { password: { state: 'rotated', origin: 'rotation r1' } };
const rotated = set('rotation r1', undefined, 'setting a new password, as spec.password.rotation asks');

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
    stopped('the service is stopped; set spec.powerState to Running to start it'),
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

const source = { name: 'mine', key: 'password' };
const sourceOrigin = 'secret mine/password uid 7';
const give = (more: { isWatched?: boolean; isTooShort?: boolean } = {}): Given => ({
  password: { state: 'given', origin: sourceOrigin, source, isWatched: true, isTooShort: false, ...more },
});
const given = set(sourceOrigin, source, 'setting the password of Secret "mine"');
const watch = { type: 'write', action: { type: 'watchPasswordSource', source }, message: 'changes of Secret "mine" are watched' };
const tooShort = (words: string) => ({
  type: 'stall',
  reason: 'Rejected',
  message: `${words} is not sent: it has fewer than 8 characters; put a longer one there, or set spec.password.rotation to have one made`,
  retryAfterMs: 600_000,
});

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
  ['too short: it is not sent', { ...give({ isTooShort: true }), ...secretWith('initial') }, tooShort('the password of Secret "mine"')],
  [
    'too short, and the Secret has none: none is made instead',
    { ...give({ isTooShort: true }), ...secretWith('initial', none) },
    tooShort('the password of Secret "mine"'),
  ],
  [
    'too short: the other changes go on',
    { ...give({ isTooShort: true }), ...secretWith('initial'), spec: { environment: 'DEV' } },
    change(
      { operation: 'setServiceEnvironment', environment: 'DEV' },
      'none',
      'DEV',
      'SettingEnvironment',
      'setting the environment from none to DEV; then: password',
    ),
  ],
];

const wait = { type: 'wait', reason: 'WaitingForReference', message: 'spec.password.secretRef "mine" not found', afterMs: 30_000 };
const awaited: Given = { password: { state: 'waiting', message: 'spec.password.secretRef "mine" not found' } };
const ring: Given = { password: { state: 'refused', message: 'it comes back to this object' } };
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

const edit = { password: 'edited', passwordDigest: undefined } as const;
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
    secretWith('initial', { ...edit, isTooShort: true }),
    tooShort('the password that was written into Secret "orders-db"'),
  ],
];

/** A password is on its way. */
const pendingOf = (
  origin: string | undefined,
  more: { handled?: string; content?: PartOfSecret; deleted?: boolean } = {},
): Pick<Given, 'secret'> => {
  const annotations = { ...(origin === undefined ? {} : { [connectionAnnotations.passwordHandled]: origin }) };
  const pending = { metadata: { name: 'orders-db-pending', namespace: 'shop', uid: 'pending-uid', resourceVersion: '1', annotations } };
  const content = { ...handledAs(more.handled ?? 'initial'), ...more.content };
  return { secret: ourSecret(content, { pending }) };
};
const rejection = { type: 'stall', reason: 'Rejected', message: 'the cloud refused the password' } as const;
const refused = (origin: string, inMs = 500_000, step: Step = rejection): { refusals: ReadonlyMap<string, RefusedChange> } => ({
  refusals: new Map([[`updateServicePassword ${origin}`, { generation: 1, again: noon + inMs, times: 1, step }]]),
});
const unanswered = (agoMs: number) => ({ passwordUnansweredAt: noon - agoMs });
const arrive = (origin: string) => set(origin, undefined, 'the new password is on its way into Secret "orders-db"');

const onItsWay: readonly Row[] = [
  ['it arrives first', { ...rotate, ...pendingOf('rotation r1') }, arrive('rotation r1')],
  ['it arrives before another that is asked for', { ...rotate, ...pendingOf('rotation r0') }, arrive('rotation r0')],
  ['it arrives though the spec asks for none any more', pendingOf('rotation r0'), arrive('rotation r0')],
  ['it arrives though another one is waited for', { ...awaited, ...pendingOf('rotation r0') }, arrive('rotation r0')],
  ['it arrives before one that somebody wrote into the Secret', pendingOf('rotation r0', { content: edit }), arrive('rotation r0')],
  ['one of which nobody knows where it came from is the first', pendingOf(undefined), arrive('initial')],
  [
    'a send was not answered: the same is sent again',
    { ...rotate, ...pendingOf('rotation r1'), ...unanswered(10_000) },
    arrive('rotation r1'),
  ],
  [
    'the service is stopped: it waits until it runs',
    { ...pendingOf('rotation r0'), seen: paused },
    stopped('the service is stopped; set spec.powerState to Running to start it'),
  ],
  [
    'what is kept aside of a Secret that is made again is never sent, though its place is held',
    pendingOf('copy of initial', {
      content: { ...none, metadata: { deletionTimestamp: '2026-11-21T11:00:00Z', finalizers: [connectionFinalizer, 'example.com/hold'] } },
    }),
    { type: 'stall', reason: 'SecretConflict', message: saying('the finalizer example.com/hold holds it'), retryAfterMs: 60_000 },
  ],
];

const told = (retryAfterMs: number) => ({ ...rejection, retryAfterMs });

const givenUp: readonly Row[] = [
  [
    'refused, and another is asked for: that takes its place',
    { ...rotate, ...pendingOf('rotation r0'), ...refused('rotation r0') },
    set('rotation r1', undefined, 'setting a new password, as spec.password.rotation asks', 'rotation r0'),
  ],
  ['not refused: it does not give way', { ...rotate, ...pendingOf('rotation r0'), ...refused('rotation r7') }, arrive('rotation r0')],
  [
    'it is time to try it again: it does not give way',
    { ...rotate, ...pendingOf('rotation r0'), ...refused('rotation r0', 0) },
    arrive('rotation r0'),
  ],
  ['refused, and nothing else is asked for', { ...rotate, ...pendingOf('rotation r1'), ...refused('rotation r1') }, told(500_000)],
  ['refused, and the spec asks for none any more', { ...pendingOf('rotation r0'), ...refused('rotation r0') }, told(500_000)],
  [
    'refused, and an earlier send may still arrive: it is looked at when that is over',
    { ...rotate, ...pendingOf('rotation r0'), ...refused('rotation r0'), ...unanswered(100_000) },
    told(60_000),
  ],
  [
    'refused for less than an earlier send may take',
    { ...rotate, ...pendingOf('rotation r0'), ...refused('rotation r0', 20_000), ...unanswered(100_000) },
    told(20_000),
  ],
  [
    'refused, and an earlier send may arrive for one millisecond more',
    { ...rotate, ...pendingOf('rotation r0'), ...refused('rotation r0'), ...unanswered(159_999) },
    told(1),
  ],
  [
    'refused, and an earlier send cannot arrive any more: another takes its place',
    { ...rotate, ...pendingOf('rotation r0'), ...refused('rotation r0'), ...unanswered(160_000) },
    set('rotation r1', undefined, 'setting a new password, as spec.password.rotation asks', 'rotation r0'),
  ],
  [
    'refused, nothing else is asked for, and an earlier send cannot arrive any more',
    { ...rotate, ...pendingOf('rotation r1'), ...refused('rotation r1'), ...unanswered(160_000) },
    told(500_000),
  ],
  [
    'refused, and the Secret has none: a new one of ours does not take its place',
    { ...pendingOf('rotation r0', { content: none }), ...refused('rotation r0') },
    told(500_000),
  ],
  [
    'refused, and the user’s Secret has another',
    { ...give(), ...pendingOf('secret mine/password uid 6'), ...refused('secret mine/password uid 6') },
    set(sourceOrigin, source, 'setting the password of Secret "mine"', 'secret mine/password uid 6'),
  ],
  [
    'refused, and the user’s Secret has another that is too short',
    { ...give({ isTooShort: true }), ...pendingOf('secret mine/password uid 6'), ...refused('secret mine/password uid 6') },
    tooShort('the password of Secret "mine"'),
  ],
  [
    'one that somebody wrote into the Secret is refused, and somebody wrote another',
    { ...pendingOf('edited secret-uid 0', { content: edit }), ...refused('edited secret-uid 0') },
    set('edited secret-uid 1', 'edited', 'setting the password that was written into Secret "orders-db"', 'edited secret-uid 0'),
  ],
  [
    'one that somebody wrote into the Secret is refused, and rotation asks for another',
    { ...rotate, ...pendingOf('edited secret-uid 1', { content: edit }), ...refused('edited secret-uid 1') },
    set('rotation r1', undefined, 'setting a new password, as spec.password.rotation asks', 'edited secret-uid 1'),
  ],
  [
    'one that somebody wrote into the Secret is refused, and it is still the same',
    { ...pendingOf('edited secret-uid 1', { content: edit }), ...refused('edited secret-uid 1') },
    told(500_000),
  ],
  [
    'one that the spec asks for is refused: one that somebody wrote does not answer it',
    { ...rotate, ...pendingOf('rotation r1', { content: edit }), ...refused('rotation r1') },
    told(500_000),
  ],
];

const later: readonly Row[] = [
  ['refused a while ago: it is tried again in time', { ...rotate, ...secretWith('initial'), ...refused('rotation r1') }, told(500_000)],
  [
    'an earlier one was sent and not answered: this one waits',
    { ...rotate, ...secretWith('initial'), ...unanswered(100_000) },
    {
      type: 'wait',
      reason: 'RotatingPassword',
      message: 'an earlier password was sent and not answered: another one is sent when the earlier one can no longer arrive',
      afterMs: 60_000,
    },
  ],
  ['an earlier one can no longer arrive', { ...rotate, ...secretWith('initial'), ...unanswered(160_000) }, rotated],
  [
    'nothing can be put on its way now',
    {
      ...rotate,
      secret: ourSecret(
        {},
        { pendingBlocked: { type: 'stall', reason: 'SecretConflict', message: 'somebody holds it', retryAfterMs: 60_000 } },
      ),
    },
    { type: 'stall', reason: 'SecretConflict', message: 'somebody holds it', retryAfterMs: 60_000 },
  ],
  [
    'an earlier one was not answered: the other changes go on',
    { ...rotate, ...secretWith('initial'), ...unanswered(100_000), spec: { environment: 'DEV' } },
    change(
      { operation: 'setServiceEnvironment', environment: 'DEV' },
      'none',
      'DEV',
      'SettingEnvironment',
      'setting the environment from none to DEV; then: password',
    ),
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

test.each(onItsWay)('on its way: %s', (_, situation, expected) => {
  expect(decided(situation)).toEqual(expected);
});

test.each(givenUp)('on its way: %s', (_, situation, expected) => {
  expect(decided(situation)).toEqual(expected);
});

test.each(later)('%s', (_, situation, expected) => {
  expect(decided(situation)).toEqual(expected);
});
