import { describe } from 'vitest';
import type { RefusedChange } from '../../../../../src/reconcile/step/outcome.ts';
import type { EntryContent } from '../../../../../src/resources/ledger-entry.ts';
import { ledgerEntry } from '../../../../support/ledger-entry.ts';
import { unread, unusable } from '../../../../support/our-secret.ts';
import { awaited, give, rotate, set, source, sourceOrigin } from '../../../../support/passwords.ts';
import { decides } from '../../../../support/policy-rows.ts';
import { noon, type GivenService } from '../../../../support/situation.ts';
import { available, changing, paused } from '../../../../support/steps.ts';

/** The next password of the ledger: the operator completes it first, and another password replaces it only after a refusal. (docs/safety.md, Passwords) */

const next = (from: string, more: Partial<EntryContent> = {}): GivenService => ({
  entry: ledgerEntry({ next: { from }, ...more }),
});
const rejection = {
  type: 'stall',
  reason: 'Rejected',
  message: 'the cloud refused the password',
} as const;
const refused = (
  origin: string,
  inMs = 500_000,
): { refusals: ReadonlyMap<string, RefusedChange> } => ({
  refusals: new Map([
    [
      `updateServicePassword ${origin}`,
      { generation: 1, again: noon + inMs, times: 1, isUnclear: false, step: rejection },
    ],
  ]),
});
const unanswered = (agoMs: number) => ({ passwordUnansweredAt: noon - agoMs });
const completes = (origin: string) => set(origin, undefined, 'completing a password change');
const replaces = set(
  'rotation r1',
  undefined,
  'setting a new password, as spec.password.rotation asks',
  true,
);
const reports = (retryAfterMs: number) => ({ ...rejection, retryAfterMs });
const dev = { spec: { environment: 'DEV' } };
const changes = {
  type: 'call',
  reason: 'SettingEnvironment',
  action: changing('setServiceEnvironment', ['svc-1', { environment: 'DEV' }], 'none', 'DEV'),
  message: 'setting the environment from none to DEV; then: password',
} as const;

describe('the next password', () => {
  decides([
    ['is completed', { ...rotate, ...next('rotation r1') }, completes('rotation r1')],
    [
      'is completed before the spec sets another password',
      { ...rotate, ...next('rotation r0') },
      completes('rotation r0'),
    ],
    [
      'is completed although the spec has no password any more',
      next('rotation r0'),
      completes('rotation r0'),
    ],
    [
      'is completed while the spec waits for a Secret',
      { ...awaited, ...next('rotation r0') },
      completes('rotation r0'),
    ],
    [
      'is completed although the ledger has no password',
      next('initial', { hasPassword: false }),
      completes('initial'),
    ],
    [
      'is sent again at once after a call without an answer',
      { ...rotate, ...next('rotation r1'), ...unanswered(10_000) },
      completes('rotation r1'),
    ],
    [
      'waits until the stopped service runs',
      { ...next('rotation r0'), seen: paused },
      {
        type: 'done',
        reason: 'Stopped',
        differs: true,
        message:
          'the service is stopped; set spec.powerState to Running to start it; when it runs again: password',
      },
    ],
    [
      'waits while a foreign Secret has the name of the connection Secret',
      { ...next('rotation r0'), secret: unusable },
      unusable.why,
    ],
    [
      'waits while the object gets no connection Secret',
      { ...next('rotation r0'), secret: { ...unread, hasPassword: true } },
      available,
    ],
  ]);
});

describe('a next password that the cloud refused', () => {
  const isRefused = { ...rotate, ...next('rotation r0'), ...refused('rotation r0') };
  decides([
    ['gives way to another password', isRefused, replaces],
    [
      'does not give way because of the refusal of another password',
      { ...isRefused, ...refused('rotation r7') },
      completes('rotation r0'),
    ],
    [
      'is sent again when its time has come',
      { ...isRefused, ...refused('rotation r0', 0) },
      completes('rotation r0'),
    ],
    [
      'is reported if the spec has no other password',
      { ...rotate, ...next('rotation r1'), ...refused('rotation r1') },
      reports(500_000),
    ],
    [
      'is reported if the spec has no password any more',
      { ...next('rotation r0'), ...refused('rotation r0') },
      reports(500_000),
    ],
    [
      'gives way when an earlier call can no longer arrive',
      { ...isRefused, ...unanswered(160_000) },
      replaces,
    ],
    [
      'does not give way while an earlier call may arrive',
      { ...isRefused, ...unanswered(100_000) },
      reports(60_000),
    ],
    [
      'does not give way in the last millisecond of an earlier call',
      { ...isRefused, ...unanswered(159_999) },
      reports(1),
    ],
    [
      'is sent again in time although an earlier call may arrive for longer',
      { ...isRefused, ...refused('rotation r0', 20_000), ...unanswered(100_000) },
      reports(20_000),
    ],
    [
      'is reported for its whole time if no earlier call can arrive',
      { ...rotate, ...next('rotation r1'), ...refused('rotation r1'), ...unanswered(160_000) },
      reports(500_000),
    ],
    [
      'does not give way to a password that the operator would set because none is known',
      { ...next('rotation r0', { hasPassword: false }), ...refused('rotation r0') },
      reports(500_000),
    ],
    [
      'gives way to the password of a Secret',
      { ...give(), ...next('rotation r0'), ...refused('rotation r0') },
      set(sourceOrigin, source, 'setting the password of Secret "mine"', true),
    ],
    [
      'does not give way to a password whose length does not fit',
      {
        ...give({ unfit: 'is not sent: a password has 8 to 1024 characters' }),
        ...next('rotation r0'),
        ...refused('rotation r0'),
      },
      {
        type: 'stall',
        reason: 'Rejected',
        message: 'a password has 8 to 1024 characters',
        retryAfterMs: 600_000,
      },
    ],
    [
      'does not give way to another password that the cloud refused',
      {
        ...isRefused,
        refusals: new Map([
          ...refused('rotation r0').refusals,
          ...refused('rotation r1', 30_000).refusals,
        ]),
      },
      reports(30_000),
    ],
    [
      'lets other changes go on',
      { ...next('rotation r0'), ...refused('rotation r0'), ...dev },
      changes,
    ],
  ]);
});

describe('a password that the cloud refused before it was written', () => {
  decides([['is sent again in time', { ...rotate, ...refused('rotation r1') }, reports(500_000)]]);
});
