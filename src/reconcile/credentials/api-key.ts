import type { CloudApi, CloudOperation } from '../../cloud/cloud-api.ts';
import { CloudError, orCloudError } from '../../cloud/cloud-error.ts';
import type { ProjectObserver } from '../../cloud/project-observer.ts';
import type { RateLimiter } from '../../cloud/rate-limiter.ts';
import type { ProjectId } from '../../cloud/wire/account.ts';
import { backOffMs, type Clock } from '../../runtime/index.ts';
import type { Account } from './accounts.ts';

export type ObservedKey =
  | { readonly state: 'usable'; readonly account: Account }
  | { readonly state: 'rejected' }
  | { readonly state: 'unavailable'; readonly error: CloudError };

/** An API key and its state. A single timer probes a rejected or unreachable key, not each object. */
export interface ApiKey {
  prove(): Promise<ObservedKey>;
  onChange(listener: () => void): void;
  close(): void;
}

/** The client of a key, and the outcomes of its calls. */
export interface KeyClient {
  readonly api: CloudApi;
  readonly limiter: RateLimiter;
  onOutcome(listener: (outcome: 'ok' | CloudError['kind'], operation: CloudOperation) => void): void;
  close(): void;
}

export interface ApiKeyOptions {
  readonly client: KeyClient;
  readonly operatorsOwn: boolean;
  readonly clock: Clock;
  readonly observe: (api: CloudApi, projectId: ProjectId) => ProjectObserver;
}

/** Long delays, so that many rejected keys cost the cloud few calls. A new text in the Secret is a new key, and is probed at once. */
const afterRejection = { firstMs: 60_000, longestMs: 600_000 };
/** The minimum interval between checks whether the key was moved to another project. */
const moveProofEveryMs = 60_000;
const afterFailure = { firstMs: 1_000, longestMs: 60_000 };

export function apiKey(options: ApiKeyOptions): ApiKey {
  const { client, clock } = options;
  const accounts = accountOfKey(options);
  const listeners: (() => void)[] = [];
  let observed: ObservedKey | undefined;
  let asking: Promise<ObservedKey> | undefined;
  let probe: Disposable | undefined;
  let failures = 0;
  let rejections = 0;
  let askedAt = 0;
  let isClosed = false;

  const changed = () => {
    for (const listener of listeners) listener();
  };
  const again = (delayMs: number) => {
    if (isClosed) return;
    probe?.[Symbol.dispose]();
    probe = clock.schedule(delayMs, () => {
      observed = undefined;
      void ask().then(changed);
    });
  };
  client.onOutcome((outcome, operation) => {
    if (observed?.state !== 'usable' || asking || !isInDoubt(outcome, operation, clock.now() - askedAt)) return;
    const { projectId } = observed.account;
    void askOnce(outcome !== 'unauthorized').then((now) => (now.state !== 'usable' || now.account.projectId !== projectId) && changed());
  });
  /** @param isOnlyADoubt the key counts as before, unless the answer refutes it */
  const ask = async (isOnlyADoubt = false): Promise<ObservedKey> => {
    askedAt = clock.now();
    const info = await orCloudError(client.api.getCredentialsInfo());
    if (info instanceof CloudError) {
      const rejected = info.kind === 'unauthorized' || info.kind === 'forbidden';
      if (isOnlyADoubt && !rejected && observed) return observed;
      observed = rejected ? { state: 'rejected' } : { state: 'unavailable', error: info };
      again(rejected ? backOffMs(rejections++, afterRejection, 0) : backOffMs(failures++, afterFailure, 0));
      return observed;
    }
    failures = 0;
    rejections = 0;
    observed = { state: 'usable', account: accounts.of(info.apiKey.project.id) };
    return observed;
  };
  const askOnce = (isOnlyADoubt = false): Promise<ObservedKey> =>
    (asking ??= ask(isOnlyADoubt).finally(() => {
      asking = undefined;
    }));

  return {
    onChange: (listener) => void listeners.push(listener),
    prove: () => (observed ? Promise.resolve(observed) : askOnce()),
    close() {
      isClosed = true;
      probe?.[Symbol.dispose]();
      accounts.close();
      client.close();
    },
  };
}

/**
 * Whether an answer is a reason to prove the key again: a single 401 does not prove that the key is invalid.
 * The lists of a key that was moved to another project are answered with 403 or 404.
 */
function isInDoubt(outcome: 'ok' | CloudError['kind'], operation: CloudOperation, sinceProofMs: number): boolean {
  const isRefusedList = (outcome === 'forbidden' || outcome === 'notFound') && operation.startsWith('list');
  return outcome === 'unauthorized' || (isRefusedList && sinceProofMs >= moveProofEveryMs);
}

/** A key that was moved to another project gets new observers. */
function accountOfKey({ client, operatorsOwn, observe }: ApiKeyOptions) {
  let current: { readonly projectId: ProjectId; readonly observer: ProjectObserver } | undefined;
  return {
    of(projectId: ProjectId): Account {
      if (current?.projectId !== projectId) {
        current?.observer.stop();
        current = { projectId, observer: observe(client.api, projectId) };
      }
      return {
        projectId,
        project: client.api.project(projectId),
        observer: current.observer,
        limiter: client.limiter,
        operatorsOwn,
      };
    },
    close: () => current?.observer.stop(),
  };
}
