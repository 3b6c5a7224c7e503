import { describe } from 'vitest';
import { ledgerEntry } from '../../../../support/ledger-entry.ts';
import { absent, current, outdated, unread, unusable } from '../../../../support/our-secret.ts';
import {
  adopted,
  awaited,
  give,
  given,
  rotate,
  rotated,
  set,
  source,
  sourceOrigin,
  unknown,
} from '../../../../support/passwords.ts';
import { decides } from '../../../../support/policy-rows.ts';
import { noon, type GivenService } from '../../../../support/situation.ts';
import { available, changing, paused } from '../../../../support/steps.ts';

/** When the operator sets a password, and which password. (docs/safety.md, Passwords) */

const answered = (passwordFrom: string): GivenService => ({ entry: ledgerEntry({ passwordFrom }) });
const lost = set('initial', undefined, 'the password is not known: setting a new password');
const withHint = {
  ...available,
  message:
    'Secret "orders-db" has the connection, without a password, which is unknown; set spec.password.rotation for a new password',
} as const;
const byHand = current({ password: undefined }, [], true);
const withStranger = {
  ...available,
  message:
    'Secret "orders-db" has the connection, and a password that is not in the ledger; to set a password, use spec.password',
} as const;
const later = {
  type: 'done',
  reason: 'Stopped',
  differs: true,
  message:
    'the service is stopped; set spec.powerState to Running to start it; when it runs again: password',
} as const;
const changes = {
  type: 'call',
  reason: 'SettingEnvironment',
  action: changing('setServiceEnvironment', ['svc-1', { environment: 'DEV' }], 'none', 'DEV'),
  message: 'setting the environment from none to DEV; then: password',
} as const;
const dev = { spec: { environment: 'DEV' } };
const unanswered = (agoMs: number) => ({ passwordUnansweredAt: noon - agoMs });

describe('a spec without a password', () => {
  decides([
    ['leaves a known password', {}, available],
    ['has an unknown password of a created service replaced', unknown, lost],
    [
      'has an unknown password replaced before the Secret exists',
      { ...unknown, secret: absent({ password: undefined }) },
      lost,
    ],
    ['leaves the unknown password of an adopted service', adopted, withHint],
    [
      'reports the password that a user wrote into the Secret of an adopted service',
      { ...adopted, secret: byHand },
      withStranger,
    ],
    [
      'sets nothing while the object gets no connection Secret',
      { ...unknown, secret: unread },
      withHint,
    ],
    [
      'replaces an unknown password when the stopped service runs again',
      { ...unknown, seen: paused },
      later,
    ],
    [
      'waits for an earlier password call before it replaces an unknown password',
      { ...unknown, ...unanswered(100_000) },
      waits(60_000),
    ],
  ]);
});

describe('spec.password.rotation', () => {
  decides([
    ['with a new text sets a new password', rotate, rotated],
    [
      'with another text than the last sets a new password',
      { ...rotate, ...answered('rotation r0') },
      rotated,
    ],
    ['with the same text sets nothing', { ...rotate, ...answered('rotation r1') }, available],
    [
      'with the same text sets a new password if that of a created service is not known',
      {
        ...unknown,
        ...rotate,
        entry: ledgerEntry({ hasPassword: false, passwordFrom: 'rotation r1' }),
      },
      rotated,
    ],
    ['with a new text sets the password of an adopted service', { ...adopted, ...rotate }, rotated],
    [
      'with the text from before the adoption leaves the unknown password',
      {
        ...adopted,
        ...rotate,
        entry: ledgerEntry({ hasPassword: false, outcome: 'adopted', passwordFrom: 'rotation r1' }),
      },
      withHint,
    ],
    ['sets nothing while the service is stopped', { ...rotate, seen: paused }, later],
    [
      'sets nothing while the object gets no connection Secret',
      { ...rotate, secret: { ...unread, hasPassword: true } },
      available,
    ],
    [
      'sets a new password while the connection Secret is outdated',
      { ...rotate, secret: outdated() },
      rotated,
    ],
    [
      'sets nothing while a foreign Secret has the name',
      { ...rotate, secret: unusable },
      unusable.why,
    ],
    [
      'lets other changes go on while a foreign Secret has the name',
      { ...rotate, ...dev, secret: unusable },
      changes,
    ],
  ]);
});

const unfit = {
  type: 'stall',
  reason: 'Rejected',
  message: 'the password of Secret "mine" is not text (UTF-8): put a password there that is text',
  retryAfterMs: 600_000,
} as const;
const notText = { unfit: 'is not text (UTF-8): put a password there that is text' };

describe('spec.password.secretRef', () => {
  const watches = {
    type: 'write',
    action: { type: 'watchPasswordSource', source },
    message: 'changes of Secret "mine" are watched',
  } as const;
  decides([
    ['sets the password in a Secret', give(), given],
    [
      'sets the password in a newer version of the Secret',
      { ...give(), ...answered('secret mine/password uid 6') },
      given,
    ],
    [
      'sets nothing for a version that was set before',
      { ...give(), ...answered(sourceOrigin) },
      available,
    ],
    ['sets the password of an adopted service', { ...adopted, ...give() }, given],
    [
      'sets the same version again if the password of a created service is not known',
      {
        ...unknown,
        ...give(),
        entry: ledgerEntry({ hasPassword: false, passwordFrom: sourceOrigin }),
      },
      given,
    ],
    ['has the Secret watched before its password is set', give({ isWatched: false }), watches],
    ['never sends an unfit password', give(notText), unfit],
    ['with an unfit password has no other password set', { ...unknown, ...give(notText) }, unfit],
    ['with an unfit password lets other changes go on', { ...give(notText), ...dev }, changes],
  ]);
});

describe('spec.password.secretRef without a usable Secret', () => {
  const awaits = {
    type: 'wait',
    reason: 'WaitingForReference',
    message: 'spec.password.secretRef "mine" not found',
    afterMs: 30_000,
  } as const;
  const refusal = 'spec.password.secretRef "mine" is a connection Secret';
  const refusing: GivenService = { password: { state: 'refused', message: refusal } };
  const refuses = {
    type: 'stall',
    reason: 'Rejected',
    message: refusal,
    retryAfterMs: 30_000,
  } as const;
  decides([
    ['waits for the Secret', awaited, awaits],
    ['waits for the Secret although the password is not known', { ...unknown, ...awaited }, awaits],
    ['waits for the Secret while other changes go on', { ...awaited, ...dev }, changes],
    ['is refused if it names a connection Secret', refusing, refuses],
    ['is refused although the password is not known', { ...unknown, ...refusing }, refuses],
    ['is refused while other changes go on', { ...refusing, ...dev }, changes],
  ]);
});

describe('after a password call without an answer', () => {
  decides([
    [
      'another password waits until 160 seconds have passed',
      { ...rotate, ...unanswered(100_000) },
      waits(60_000),
    ],
    [
      'another password waits for the last millisecond',
      { ...rotate, ...unanswered(159_999) },
      waits(1),
    ],
    ['another password is set after 160 seconds', { ...rotate, ...unanswered(160_000) }, rotated],
    ['other changes go on', { ...rotate, ...unanswered(100_000), ...dev }, changes],
  ]);
});

function waits(afterMs: number) {
  return {
    type: 'wait',
    reason: 'RotatingPassword',
    message:
      'an earlier password was sent and not answered: the next password is sent when the earlier password can no longer arrive',
    afterMs,
  } as const;
}
