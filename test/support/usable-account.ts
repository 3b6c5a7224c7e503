import { cloudClient } from '../../src/cloud/cloud-client.ts';
import { projectObserver } from '../../src/cloud/project-observer.ts';
import { rateLimiter } from '../../src/cloud/rate-limiter.ts';
import { projectId } from '../../src/cloud/wire/account.ts';
import type { ObservedAccount } from '../../src/reconcile/credentials/accounts.ts';
import type { CredentialsSecret, UsableKey } from '../../src/reconcile/credentials/key-state.ts';
import { handClock } from './hand-clock.ts';

interface Given {
  /** The project of the key. */
  readonly project?: string;
  readonly operatorsOwn?: boolean;
  readonly secret?: CredentialsSecret;
}

/** A proven key, as rules see it. */
export function usableKey(given: Given = {}): UsableKey {
  const { project = 'prj-1', operatorsOwn = false, secret } = given;
  return { state: 'usable', projectId: projectId.parse(project), operatorsOwn, secret };
}

/** A proven key with its clients, for readers that make no calls: no server listens at its address. */
export function usableAccount({
  project = 'prj-1',
  operatorsOwn = false,
  secret,
}: Given = {}): Extract<ObservedAccount, { state: 'usable' }> {
  const clock = handClock();
  const id = projectId.parse(project);
  const api = cloudClient({ baseUrl: new URL('http://127.0.0.1:1'), apiKey: 'key' });
  const observer = projectObserver({ api, projectId: id, clock, random: () => 0 });
  const account = {
    projectId: id,
    project: api.project(id),
    observer,
    limiter: rateLimiter({ clock }),
    operatorsOwn,
  };
  return { state: 'usable', account, secret };
}
