import { expect, test } from 'vitest';
import { connectionAnnotations } from '../../../../../src/resources/connection-secret.ts';
import type { Step } from '../../../../../src/reconcile/step/step.ts';
import { connectionFinalizer } from '../../../../../src/resources/annotations.ts';
import { ourSecret } from '../../../../support/our-secret.ts';
import { noon, type GivenService } from '../../../../support/situation.ts';
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
  tooShort,
} from '../../../../support/passwords.ts';
import { asked as change, paused, saying, stopped } from '../../../../support/steps.ts';
import type { RefusedChange } from '../../../../../src/reconcile/step/refusal.ts';

/** A password that is on its way arrives first; when another may take its place; and when none may be sent. (docs/safety.md, Passwords) */

const pendingOf = (origin: string | undefined, content: Parameters<typeof ourSecret>[0] = {}): Pick<GivenService, 'secret'> => {
  const annotations = origin === undefined ? {} : { [connectionAnnotations.passwordHandled]: origin };
  const pending = { metadata: { name: 'orders-db-pending', namespace: 'shop', uid: 'pending-uid', resourceVersion: '1', annotations } };
  return secretWith('initial', content, { pending });
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
  ['it arrives before one that somebody wrote into the Secret', pendingOf('rotation r0', edit), arrive('rotation r0')],
  ['one of which nobody knows where it came from is the first', pendingOf(undefined), arrive('initial')],
  [
    'a send was not answered: the same is sent again',
    { ...rotate, ...pendingOf('rotation r1'), ...unanswered(10_000) },
    arrive('rotation r1'),
  ],
  [
    'the service is stopped: it waits until it runs',
    { ...pendingOf('rotation r0'), seen: paused },
    stopped('the service is stopped; set spec.powerState to Running to start it; when it runs again: password'),
  ],
  [
    'the copy of a Secret that is made again is never sent, though its place is held',
    pendingOf('copy of initial', {
      ...none,
      metadata: { deletionTimestamp: '2026-11-21T11:00:00Z', finalizers: [connectionFinalizer, 'example.com/hold'] },
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
    { ...pendingOf('rotation r0', none), ...refused('rotation r0') },
    told(500_000),
  ],
  [
    'refused, and the user’s Secret has another',
    { ...give(), ...pendingOf('secret mine/password uid 6'), ...refused('secret mine/password uid 6') },
    set(sourceOrigin, source, 'setting the password of Secret "mine"', 'secret mine/password uid 6'),
  ],
  [
    'refused, and the user’s Secret has another that is too short',
    { ...give({ length: 'tooShort' }), ...pendingOf('secret mine/password uid 6'), ...refused('secret mine/password uid 6') },
    tooShort('the password of Secret "mine"'),
  ],
  [
    'one that somebody wrote into the Secret is refused, and somebody wrote another',
    { ...pendingOf('edited secret-uid 0', edit), ...refused('edited secret-uid 0') },
    set('edited secret-uid 1', 'edited', 'setting the password that was written into Secret "orders-db"', 'edited secret-uid 0'),
  ],
  [
    'one that somebody wrote into the Secret is refused, and rotation asks for another',
    { ...rotate, ...pendingOf('edited secret-uid 1', edit), ...refused('edited secret-uid 1') },
    set('rotation r1', undefined, 'setting a new password, as spec.password.rotation asks', 'edited secret-uid 1'),
  ],
  [
    'one that somebody wrote into the Secret is refused, and it is still the same',
    { ...pendingOf('edited secret-uid 1', edit), ...refused('edited secret-uid 1') },
    told(500_000),
  ],
  [
    'one that the spec asks for is refused: one that somebody wrote does not answer it',
    { ...rotate, ...pendingOf('rotation r1', edit), ...refused('rotation r1') },
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
      { operation: 'setServiceEnvironment', body: { environment: 'DEV' } },
      'none',
      'DEV',
      'SettingEnvironment',
      'setting the environment from none to DEV; then: password',
    ),
  ],
];

test.each(onItsWay)('on its way: %s', (_, situation, expected) => {
  expect(decided(situation)).toEqual(expected);
});

test.each(givenUp)('on its way: %s', (_, situation, expected) => {
  expect(decided(situation)).toEqual(expected);
});

test.each(later)('%s', (_, situation, expected) => {
  expect(decided(situation)).toEqual(expected);
});
