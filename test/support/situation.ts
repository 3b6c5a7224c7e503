import { cloudClient } from '../../src/cloud/cloud-client.ts';
import { CloudError, type CloudErrorKind } from '../../src/cloud/cloud-error.ts';
import { projectObserver } from '../../src/cloud/project-observer.ts';
import { rateLimiter } from '../../src/cloud/rate-limiter.ts';
import { projectId, serviceId } from '../../src/cloud/wire/ids.ts';
import type { Service } from '../../src/cloud/wire/service.ts';
import type { AccountSight, CredentialsSecret } from '../../src/reconcile/account.ts';
import type { AttemptSight, Verdict } from '../../src/reconcile/attempt.ts';
import type { Claimant } from '../../src/reconcile/claims.ts';
import type { CloudSight } from '../../src/reconcile/cloud-sight.ts';
import { askedText } from '../../src/reconcile/connection/asked-texts.ts';
import { connectionData, type Connection } from '../../src/reconcile/connection/connection-data.ts';
import { connectionAnnotations } from '../../src/reconcile/connection/connection-secret.ts';
import type { SecretSight } from '../../src/reconcile/connection/observe-secret.ts';
import { initialOrigin } from '../../src/reconcile/connection/password-origin.ts';
import type { ConnectionSecret } from '../../src/reconcile/connection/secret-contents.ts';
import type { Attempt, ResourceRecord } from '../../src/reconcile/record.ts';
import type { ServiceSituation } from '../../src/reconcile/service/situation.ts';
import type { DeletionSight, Identity, Situation } from '../../src/reconcile/situation.ts';
import { connectionFinalizer, connectionLabel } from '../../src/resources/annotations.ts';
import { managedServices } from '../../src/resources/managed-service.ts';
import { resourceKey, systemClock } from '../../src/runtime/index.ts';
import { policy } from './policy.ts';

/** Policy time of a situation that is all as it should be. */
export const noon = Date.parse('2026-11-21T12:00:00.000Z');
/** When its resource was made. */
export const morning = '2026-11-21T09:00:00.000Z';

interface MoreOfObject {
  readonly status?: object;
  readonly metadata?: object;
}

/** A service, `shop/orders`, as its object has it. */
export function serviceObject(annotations: Readonly<Record<string, string>> = {}, spec: object = {}, more: MoreOfObject = {}) {
  const metadata = { name: 'orders', namespace: 'shop', uid: 'uid', resourceVersion: '1', generation: 1, annotations, ...more.metadata };
  return managedServices.parse({ metadata, spec, status: more.status });
}

/** What rules decide by, for a service that nothing is known of yet: only what matters to a row stands in it. */
export function situation(given: Partial<Situation> = {}): Situation {
  return {
    words: { kind: 'ManagedService', noun: 'service' },
    object: serviceObject(),
    now: 0,
    policy,
    clusterUid: 'cluster',
    record: {},
    hasFinalizer: true,
    hasRecord: true,
    isRecordLost: false,
    identity: { state: 'none' },
    heldBack: undefined,
    claim: { state: 'ours' },
    account: { state: 'notAsked' },
    pinnedProject: undefined,
    attempt: undefined,
    cloud: { state: 'none' },
    deletion: { requested: false, started: false, crdTerminating: false, dependents: [] },
    lastOperation: undefined,
    refusedAt: undefined,
    lookAskedInMs: undefined,
    refusals: new Map(),
    ...given,
  };
}

/** What rules decide by, for a service that is READY and exactly as its spec wants: nothing is left to do. */
export function serviceSituation(given: Partial<ServiceSituation> = {}): ServiceSituation {
  return {
    ...situation({ now: noon, record: recordOf('svc-1'), identity: known(), account: usable(), pinnedProject: 'prj1' }),
    object: serviceObject(),
    cloud: present(),
    stateSince: noon,
    vpc: { state: 'none' },
    forkSource: { state: 'none' },
    sameNames: { state: 'read', ids: [], unclaimed: [] },
    adoption: { state: 'notAsked' },
    secret: ourSecret(),
    nextSecret: undefined,
    password: { state: 'asItIs' },
    passwordUnansweredAt: undefined,
    connection,
    ...given,
  };
}

/** What a service situation has besides, before anything was created for its object. */
export const notCreated = {
  record: {},
  hasRecord: false,
  identity: { state: 'none' },
  pinnedProject: undefined,
  cloud: { state: 'none' },
  secret: { name: 'orders-db', pending: undefined, pendingBlocked: undefined, state: 'absent' },
} satisfies Partial<ServiceSituation>;

/** The id of the resource is known, by the record if nothing else is said. */
export function known(given: Partial<Extract<Identity, { state: 'known' }>> = {}): Extract<Identity, { state: 'known' }> {
  return { state: 'known', id: 'svc-1', projectId: 'prj1', by: 'record', ...given };
}

/** The record of an object that created the resource of this id. */
export function recordOf(id: string, more: Partial<ResourceRecord> = {}): ResourceRecord {
  return {
    id,
    outcome: 'created',
    projectId: 'prj1',
    clusterUid: 'cluster',
    objectUid: 'uid',
    claimedAt: morning,
    secretName: 'orders-db',
    password: 'managed',
    ...more,
  };
}

interface Key {
  readonly operatorsOwn?: boolean;
  readonly project?: string;
  readonly secret?: CredentialsSecret;
}

/** A key that is proven. Nothing is called with it. */
export function usable({ operatorsOwn = false, project = 'prj1', secret }: Key = {}): Extract<AccountSight, { state: 'usable' }> {
  const id = projectId.parse(project);
  const api = cloudClient({ baseUrl: new URL('http://127.0.0.1:1'), apiKey: 'key' });
  const observer = projectObserver({ api, projectId: id, clock: systemClock, random: () => 0 });
  const limiter = rateLimiter({ clock: systemClock });
  return { state: 'usable', account: { projectId: id, api, observer, limiter, operatorsOwn, cloudNow: () => noon }, secret };
}

/** The Secret of a key, as it is while the key is in use. */
export function keySecret(given: Partial<CredentialsSecret> = {}): CredentialsSecret {
  return { namespace: 'shop', name: 'cloud-key', held: true, terminating: false, ...given };
}

/** A create that was begun for a name that the user chose. */
export const chosenAttempt: Attempt = { id: 'abcdefgh', at: morning, request: { name: 'orders' }, sameNameIds: [] };
/** A create that was begun for a name that nobody else chooses. */
export const ownAttempt: Attempt = { ...chosenAttempt, request: { name: 'orders-abcdef' } };

/** What the lists say of an open create. */
export function judged(verdict: Verdict, attempt: Attempt = chosenAttempt): AttemptSight {
  return { state: 'judged', attempt, verdict };
}

/** A service in the cloud, of 1000m/4GB, that is reached at `db.example.com:5432`. */
export function cloudService(given: Partial<Service> = {}): Service {
  return {
    service_id: serviceId.parse('svc-1'),
    name: 'orders-abcdef',
    created: morning,
    status: 'READY',
    endpoint: { host: 'db.example.com', port: 5432 },
    resources: [{ spec: { cpu_millis: 1000, memory_gbs: 4 } }],
    ...given,
  };
}

/** A service that the cloud shows, looked at just now. */
export function present(given: Partial<Service> = {}): Extract<CloudSight<Service>, { state: 'present' }> {
  return { state: 'present', resource: cloudService(given), asOf: noon };
}

/** The object is being deleted. */
export function deleting(given: Partial<DeletionSight> = {}): DeletionSight {
  return { requested: true, started: false, crdTerminating: false, dependents: [], ...given };
}

const connection: Connection = {
  username: 'tsdbadmin',
  database: 'tsdb',
  direct: { host: 'db.example.com', port: 5432 },
  pooler: undefined,
  vpc: undefined,
};

/** The connection Secret as it should be. `annotations` and the rest of `metadata` add to what it has. */
export function connectionSecret({ metadata, ...content }: PartOfSecret = {}): ConnectionSecret {
  return {
    metadata: {
      name: 'orders-db',
      namespace: 'shop',
      uid: 'secret-uid',
      resourceVersion: '1',
      labels: { [connectionLabel]: 'true' },
      finalizers: [connectionFinalizer],
      ...metadata,
      annotations: {
        [connectionAnnotations.owner]: 'ManagedService/orders',
        [connectionAnnotations.id]: 'svc-1',
        [connectionAnnotations.clusterUid]: 'cluster',
        [connectionAnnotations.asked]: askedText({}),
        [connectionAnnotations.passwordHandled]: initialOrigin,
        ...metadata?.annotations,
      },
    },
    values: connectionData(connection, undefined),
    password: 'confirmed',
    passwordDigest: 'digest',
    isTooShort: false,
    consistent: true,
    ...content,
  };
}

type PartOfSecret = Partial<Omit<ConnectionSecret, 'metadata'>> & { readonly metadata?: Partial<ConnectionSecret['metadata']> };

/** A connection Secret of ours is in its place. */
export function ourSecret(
  given: PartOfSecret = {},
  place: Partial<Pick<SecretSight, 'name' | 'pending' | 'pendingBlocked'>> = {},
): Extract<SecretSight, { state: 'ours' }> {
  const name = place.name ?? 'orders-db';
  const secret = connectionSecret({ ...given, metadata: { name, ...given.metadata } });
  return { name, pending: undefined, pendingBlocked: undefined, ...place, state: 'ours', secret };
}

/** The first object of a namespace, which owns what others want. */
export function firstOf(namespace: string): Claimant {
  return {
    kind: 'ManagedService',
    key: resourceKey(namespace, 'first'),
    uid: 'first',
    claimedAt: morning,
    isOriginal: true,
    isExpected: true,
    parentId: undefined,
  };
}

/** How a read ended that the cloud did not answer as it should: `500` if nothing else is said. */
export function cloudError(kind: CloudErrorKind = 'server', details: { readonly status?: number; readonly retryAfterMs?: number } = {}) {
  const status = kind === 'server' ? { status: 500 } : {};
  return new CloudError({ operation: 'listServices', kind, sent: true, fromApi: true, ...status, ...details });
}
