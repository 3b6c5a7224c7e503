import { ledgerEntry } from './ledger-entry.ts';
import { current } from './our-secret.ts';
import type { GivenService } from './situation.ts';
import type { ExpectedStep } from './step-like.ts';

/** Short names for the tables of passwords. */

type Source = { readonly name: string; readonly key: string } | undefined;

/** The step that sets a password. @param supersedes the next password gives way to this password */
export const set = (
  origin: string,
  source: Source,
  message: string,
  supersedes = false,
): ExpectedStep => ({
  type: 'call',
  action: { type: 'setPassword', id: 'svc-1', origin, source, supersedes },
  reason: 'RotatingPassword',
  message,
});

/** The ledger has no password of the service. */
export const unknown: GivenService = {
  entry: ledgerEntry({ hasPassword: false, passwordNumber: 0 }),
  secret: current({ password: undefined }),
};
/** The service was adopted, and its password is unknown. */
export const adopted: GivenService = {
  ...unknown,
  entry: ledgerEntry({ hasPassword: false, passwordNumber: 0, outcome: 'adopted' }),
  record: { outcome: 'adopted' },
};

/** `spec.password.rotation` is `r1`. */
export const rotate: GivenService = { password: { state: 'rotated', origin: 'rotation r1' } };
export const rotated = set(
  'rotation r1',
  undefined,
  'setting a new password, as spec.password.rotation asks',
);

/** `spec.password.secretRef` names the Secret `mine`. */
export const source = { name: 'mine', key: 'password' };
export const sourceOrigin = 'secret mine/password uid 7';
export const give = (more: { isWatched?: boolean; unfit?: string } = {}): GivenService => ({
  password: {
    state: 'given',
    origin: sourceOrigin,
    source,
    isWatched: true,
    unfit: undefined,
    ...more,
  },
});
export const given = set(sourceOrigin, source, 'setting the password of Secret "mine"');
/** That Secret does not exist. */
export const awaited: GivenService = {
  password: { state: 'waiting', message: 'spec.password.secretRef "mine" not found' },
};
