import type { KubeConfig } from '@kubernetes/client-node/dist/config.js';
import type { Dispatcher } from 'undici';
import { projectObserver } from '../cloud/project-observer.ts';
import { accounts } from '../reconcile/accounts.ts';
import { claimTable } from '../reconcile/claims.ts';
import { releaseStraySecret } from '../reconcile/connection/release-stray-secret.ts';
import { secretsWithData } from '../reconcile/connection/connection-secret.ts';
import { secretContents } from '../reconcile/connection/secret-contents.ts';
import { connectionSecrets, type WatchedSecret } from '../reconcile/connection/watched-secret.ts';
import type { Caches, Context } from '../reconcile/context.ts';
import { apiKey } from '../reconcile/credentials/api-key.ts';
import { watchAwaitedSecrets } from '../reconcile/credentials/awaited-secrets.ts';
import { reconcileCredentialsSecret } from '../reconcile/credentials/reconcile-secret.ts';
import { secretMetadata, type SecretMetadata } from '../reconcile/credentials/secret-metadata.ts';
import { following } from '../reconcile/following.ts';
import type { KindReconciler } from '../reconcile/kind.ts';
import type { Log } from '../reconcile/log.ts';
import { memory } from '../reconcile/memory.ts';
import { reconcile } from '../reconcile/reconcile.ts';
import { referenceIndex } from '../reconcile/reference-index.ts';
import { replicaSetKind } from '../reconcile/replica-set/kind.ts';
import { serviceKind } from '../reconcile/service/kind.ts';
import type { ManagedObject, Policy, Situation } from '../reconcile/situation.ts';
import { tellOfAbandoned } from '../reconcile/tell-of-abandoned.ts';
import { partsOf, type User } from '../reconcile/user.ts';
import { vpcKind } from '../reconcile/vpc/kind.ts';
import { toldOnSecret } from '../reconcile/told-on-secret.ts';
import { wakeUsersOf, wireCredentials, wireDying, wireWakeUps, type Kind, type Wake } from '../reconcile/wake-ups.ts';
import { connectionLabel, credentialsLabel } from '../resources/annotations.ts';
import { managedServices, type ManagedService } from '../resources/managed-service.ts';
import { managedVpcs, type ManagedVpc } from '../resources/managed-vpc.ts';
import { replicaSets, type ReplicaSet } from '../resources/replica-set.ts';
import { awaitCluster } from '../reconcile/await-cluster.ts';
import { systemClock, type Clock } from '../runtime/clock.ts';
import { connection } from '../runtime/connection.ts';
import { controller, type Controller, type Requeue } from '../runtime/controller.ts';
import { eventRecorder } from '../runtime/events.ts';
import { healthServer } from '../runtime/health-server.ts';
import { kubernetesClient } from '../runtime/kubernetes-client.ts';
import { type KubernetesObject, type ResourceKey, type ResourceType } from '../runtime/kubernetes-object.ts';
import { alwaysLeader, type Leadership } from '../runtime/leadership.ts';
import { loopGuard } from '../runtime/loop-guard.ts';
import { objectCache, type FillableCache, type ObjectCache } from '../runtime/object-cache.ts';
import { parked } from '../runtime/parked.ts';
import { operatorMetrics } from './metrics.ts';
import { keyClient } from './key-client.ts';
import { version } from './version.ts';
import { watches } from './watches.ts';

/** What the operator is told: the part of the configuration that it goes by. */
export interface OperatorSettings {
  readonly cloudUrl: URL;
  /** Undefined: all. */
  readonly namespaces: readonly string[] | undefined;
  readonly operatorCredentialsNamespaces: readonly string[];
  readonly policy: Policy;
  readonly database: { readonly user: string; readonly name: string };
  readonly workers: number;
  readonly rateLimit: { readonly perSecond: number; readonly burst: number };
  /** Undefined: no health server. */
  readonly health: { readonly host: string; readonly port: number } | undefined;
}

/** What comes from outside: a test, a crash plan or a demo brings its own. */
export interface OperatorParts {
  readonly loadKubeConfig: () => KubeConfig;
  /** The operator's own key, read anew each time; undefined when there is none. */
  readonly ownKey: () => Promise<string | undefined>;
  readonly log: Log;
  readonly clock?: Clock;
  readonly leadership?: Leadership;
  readonly random: () => number;
  /** 16 lowercase letters and digits. */
  readonly newId: () => string;
  readonly newPassword: () => string;
  /** Wraps everything that goes to Kubernetes and to the cloud. */
  readonly intercept?: Dispatcher.DispatcherComposeInterceptor;
}

export interface Operator {
  /** Resolves once it works: the cluster was found, every cache is filled. Rejects when stopped before. */
  readonly started: Promise<void>;
  /** Nothing to do, nothing being done, nothing planned that anybody waits for. */
  readonly idle: boolean;
  readonly healthPort: number | undefined;
  /** Takes no more work, finishes or leaves open what is in flight, and ends. Idempotent. */
  stop(graceMs: number): Promise<void>;
}

/** The longest silence of a watch before it counts as dead: bookmarks come every minute. */
const stallMs = 70_000;
const fieldManager = 'managed-db-operator';
const userAgent = `${fieldManager}/${version.version}`;

/** Builds one operator and starts it: the only place that knows all parts. */
export async function startOperator(settings: OperatorSettings, parts: OperatorParts): Promise<Operator> {
  const { log, clock = systemClock, random, leadership = alwaysLeader, intercept } = parts;
  const ending = new AbortController();
  const metrics = operatorMetrics();
  const link = connection({ loadConfig: parts.loadKubeConfig, intercept, stallMs });
  const kubernetes = kubernetesClient({ connection: link, fieldManager, userAgent });
  const scopes = settings.namespaces ?? [undefined];
  const caches = {
    vpcs: objectCache<ManagedVpc>(scopes),
    services: objectCache<ManagedService>(scopes),
    replicaSets: objectCache<ReplicaSet>(scopes),
    connectionSecrets: objectCache<WatchedSecret>(scopes),
    credentialsSecrets: objectCache<SecretMetadata>(scopes),
  } satisfies Caches;
  const objects = [caches.vpcs, caches.services, caches.replicaSets];
  const claims = claimTable(objects);
  const controllers = new Map<Kind, Controller>();
  const wakeUser = (user: User) => {
    const place = partsOf(user);
    if (place) controllers.get(place.kind)?.enqueue(place.key);
  };
  const openKey = (key: string, operatorsOwn: boolean) =>
    apiKey({
      client: keyClient(key, { ...settings, clock, intercept, userAgent, log, observe: (call) => metrics.cloudCall(call) }),
      operatorsOwn,
      clock,
      observe: (api, projectId) =>
        projectObserver({
          api,
          projectId,
          clock,
          random,
          parked,
          known: {
            vpcs: () => claims.expectedIds('ManagedVpc', projectId),
            services: () => claims.expectedIds('ManagedService', projectId),
            replicaSets: (parentId) => claims.expectedIds('ReplicaSet', projectId, parentId),
          },
        }),
    });
  const recorder = eventRecorder({
    client: kubernetes,
    component: fieldManager,
    onDropped: (error) => log.warn({ error: String(error) }, 'an event could not be written'),
  });
  const keys = accounts({
    kubernetes,
    heldSecrets: caches.credentialsSecrets,
    ownKey: parts.ownKey,
    ownKeyNamespaces: settings.operatorCredentialsNamespaces,
    openKey,
    wake: (users) => users.forEach(wakeUser),
  });
  const contextOf = (clusterUid: string): Context => ({
    kubernetes,
    caches,
    contents: secretContents(caches.connectionSecrets, (key) => kubernetes.get(secretsWithData, key)),
    accounts: keys,
    claims,
    following: following(wakeUser),
    memory: memory(),
    loops: loopGuard(),
    clock,
    leadership,
    events: recorder,
    log,
    policy: settings.policy,
    database: settings.database,
    clusterUid,
    newId: parts.newId,
    newPassword: parts.newPassword,
    random,
  });
  const onError = (kind: string) => (key: ResourceKey, error: unknown, retryInMs: number) =>
    log.error({ object: `${kind}/${key}`, error, retryInMs: Math.round(retryInMs) }, 'a visit failed; it is tried again');
  const run = <S extends Situation>(kind: KindReconciler<S>, context: Context) => {
    const name = kind.type.kind;
    const made = controller({
      name,
      workers: settings.workers,
      // What waits for one API key waits for that alone.
      groupOf: (key) => credentialsOf(kind.cacheIn(context.caches).get(key)),
      clock,
      random,
      reconcile: (key, signal) => reconcile(kind, key, context, signal),
      onError: onError(name),
      onDone: (_key, durationMs, failed) => metrics.visit(name, durationMs, failed),
    });
    return made;
  };
  const secretsController = (
    name: string,
    cache: ObjectCache<Pick<SecretMetadata, 'metadata'>>,
    visit: (key: ResourceKey) => Promise<Requeue>,
  ) =>
    controller({
      name,
      workers: 1,
      clock,
      random,
      reconcile: (key) => toldOnSecret(cache.get(key), recorder, () => visit(key)),
      onError: onError('Secret'),
    });
  const heldCredentials = secretsController('credentials', caches.credentialsSecrets, (key) =>
    reconcileCredentialsSecret(key, caches.credentialsSecrets, kubernetes),
  );
  const strayConnections = secretsController('stray connections', caches.connectionSecrets, (key) =>
    releaseStraySecret(key, { kubernetes, caches, policy: settings.policy }),
  );
  const allControllers = () => [...controllers.values(), heldCredentials, strayConnections];
  const watching = watches({ client: kubernetes, connection: link, random, log });
  const watchInto = <T extends KubernetesObject>(type: ResourceType<T>, cache: FillableCache<T>, labelSelector?: string) => {
    const labels = labelSelector === undefined ? {} : { labelSelector };
    for (const namespace of scopes) watching.into(type, cache, { namespace, ...labels }, ending.signal);
  };

  let isStarted = false;
  const start = async () => {
    const clusterUid = await awaitCluster(kubernetes, log, ending.signal);
    const context = contextOf(clusterUid);
    controllers.set('ManagedVpc', run(vpcKind, context));
    controllers.set('ManagedService', run(serviceKind, context));
    controllers.set('ReplicaSet', run(replicaSetKind, context));
    const wake: Wake = (kind, key, priority) => controllers.get(kind)?.enqueue(key, { priority });
    wireWakeUps(caches, referenceIndex(objects), wake);
    tellOfAbandoned(context, (kind) => metrics.abandoned(kind));
    wireCredentials(caches, heldCredentials);
    wireDying(caches.connectionSecrets, strayConnections);
    watchAwaitedSecrets(
      caches,
      (namespace, cache, signal) => watching.into(secretMetadata, cache, { namespace }, AbortSignal.any([signal, ending.signal])),
      (secret, who) => wakeUsersOf(secret, caches, wake, who),
    );
    watchInto(managedVpcs, caches.vpcs);
    watchInto(managedServices, caches.services);
    watchInto(replicaSets, caches.replicaSets);
    watchInto(connectionSecrets, caches.connectionSecrets, `${connectionLabel}=true`);
    watchInto(secretMetadata, caches.credentialsSecrets, credentialsLabel);
    // No key is worked before every cache holds what a consistent list told.
    await Promise.all(Object.values(caches).map((cache) => cache.whenSynced(ending.signal)));
    for (const made of allControllers()) made.start();
    isStarted = true;
    log.info({ ...version, namespaces: settings.namespaces ?? 'all', cloud: settings.cloudUrl.origin }, 'the operator works');
  };

  const health =
    settings.health &&
    (await healthServer({
      ...settings.health,
      waitingFor: () => (isStarted ? [] : ['the API server, the CRDs and the first lists']),
      metrics: () => metrics.text(),
    }));
  const started = start();
  started.catch(() => undefined); // told to whoever awaits it
  let stopping: Promise<void> | undefined;
  return {
    started,
    healthPort: health?.port,
    get idle() {
      return isStarted && allControllers().every(({ idle }) => idle);
    },
    stop(graceMs) {
      stopping ??= (async () => {
        await Promise.all(allControllers().map((made) => made.stop(graceMs)));
        keys.close();
        await Promise.race([recorder.flush(), systemClock.sleep(2_000)]);
        ending.abort(new Error('the operator is stopping'));
        await watching.ended();
        await health?.[Symbol.asyncDispose]();
        await link[Symbol.asyncDispose]();
      })();
      return stopping;
    },
  };
}

/** Whose API key an object uses. */
function credentialsOf(object: ManagedObject | undefined): string {
  const name = object?.spec.credentialsRef?.name;
  return object === undefined || name === undefined ? '' : `${object.metadata.namespace}/${name}`;
}
