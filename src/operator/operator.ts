import type { Dispatcher } from 'undici';
import type { CallObservation } from '../cloud/cloud-client.ts';
import type { Egress } from '../cloud/egress.ts';
import { accounts } from '../reconcile/credentials/accounts.ts';
import { awaitCluster } from './await-cluster.ts';
import { claimTable } from '../reconcile/process/claims.ts';
import { secretsWithData } from '../resources/connection-secret.ts';
import { secretContents } from '../reconcile/connection/secret-contents.ts';
import type { Context } from '../reconcile/process/context.ts';
import { following } from '../reconcile/process/following.ts';
import { memory } from '../reconcile/process/memory.ts';
import { tellOfAbandoned } from '../reconcile/report/tell-of-abandoned.ts';
import { definitionReader } from '../reconcile/process/custom-resource-definition.ts';
import {
  alwaysLeader,
  connection,
  eventRecorder,
  healthServer,
  kubernetesClient,
  loopGuard,
  partsOfReference,
  requestObserver,
  systemClock,
  watchedRequests,
  type ApiServer,
  type Clock,
  type Leadership,
  type Log,
  type ObjectReference,
} from '../runtime/index.ts';
import { operatorCaches } from './caches.ts';
import { cloudKeys } from './cloud-keys.ts';
import { controllers, type Controllers } from './controllers.ts';
import { operatorElection, type ElectionSettings } from './election.ts';
import { operatorMetrics } from './metrics/operator-metrics.ts';
import { sourcesOf } from './metrics/sources.ts';
import { apiServerOutage, cloudOutage, heard } from './outages.ts';
import { isAway } from './tell-of-failure.ts';
import { version } from './version.ts';
import { watches } from './watches.ts';
import { wire } from './wiring.ts';
import type { Policy } from '../reconcile/situation/policy.ts';

/** What the operator is told: the part of the configuration that it goes by. */
export interface OperatorSettings {
  readonly cloudUrl: URL;
  /** The way there. Default: straight. Kubernetes is never reached by it. */
  readonly egress?: Egress | undefined;
  /** Undefined: all. */
  readonly namespaces: readonly string[] | undefined;
  readonly operatorCredentialsNamespaces: readonly string[];
  readonly policy: Policy;
  readonly database: { readonly user: string; readonly name: string };
  readonly workers: number;
  readonly rateLimit: { readonly perSecond: number; readonly burst: number };
  /** Undefined: no other process could act. */
  readonly leaderElection?: ElectionSettings | undefined;
  /** Undefined: no health server. */
  readonly health: { readonly host: string; readonly port: number } | undefined;
}

/** What comes from outside: a test, a crash plan or a demo brings its own. */
export interface OperatorParts {
  /** Called again after it refused the credentials. */
  readonly apiServer: () => ApiServer;
  /** The operator's own key, read anew each time; undefined when there is none. */
  readonly ownKey: () => Promise<string | undefined>;
  readonly log: Log;
  readonly clock?: Clock;
  /** Instead of what an election says. */
  readonly leadership?: Leadership;
  readonly random: () => number;
  /** 16 lowercase letters and digits. */
  readonly newId: () => string;
  readonly newPassword: () => string;
  /** Wraps everything that goes to Kubernetes and to the cloud. */
  readonly intercept?: Dispatcher.DispatcherComposeInterceptor;
}

export interface Operator {
  /** Resolves once it works: the cluster was found, every cache is filled, and the lease is held. Rejects when stopped before. */
  readonly started: Promise<void>;
  /** Resolves, with the reason, when the lease is lost: then nothing is sent any more, and it has to be stopped. */
  readonly lost: Promise<string>;
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
  const { log, clock = systemClock, random, apiServer, intercept } = parts;
  const ending = new AbortController();
  const metrics = operatorMetrics(version);
  const cloud = cloudOutage(log, settings.cloudUrl);
  const watched = watchedRequests(apiServerOutage(log));
  const observed = requestObserver((request) => metrics.request(request));
  const toKubernetes: Dispatcher.DispatcherComposeInterceptor = (dispatch) => observed(intercept ? intercept(dispatch) : dispatch);
  const link = connection({ apiServer, intercept: (dispatch) => watched(toKubernetes(dispatch)), stallMs });
  const election =
    settings.leaderElection &&
    operatorElection(settings.leaderElection, { apiServer, log, metrics, random, intercept: toKubernetes, fieldManager, userAgent });
  const leadership = parts.leadership ?? election ?? alwaysLeader;
  const kubernetes = kubernetesClient({ connection: link, fieldManager, userAgent, mayWrite: () => leadership.held });
  const recording = kubernetesClient({ connection: link, fieldManager, userAgent });
  const caches = operatorCaches(settings.namespaces ?? [undefined]);
  const claims = claimTable([caches.vpcs, caches.services, caches.replicaSets]);
  let working: Controllers | undefined;
  const wakeUser = (user: ObjectReference) => {
    const { kind, key } = partsOfReference(user);
    working?.all.find(({ name }) => name === kind)?.enqueue(key);
  };
  const events = eventRecorder({
    client: kubernetes,
    component: fieldManager,
    onDropped(error) {
      const isExpected = isAway(error) || !leadership.held;
      log[isExpected ? 'debug' : 'warn']({ error: String(error) }, 'an event could not be written');
    },
  });
  const observe = (call: CallObservation) => {
    metrics.cloudCall(call);
    heard(cloud, call);
  };
  const onWaited: typeof metrics.throttled = (priority, waitedMs) => metrics.throttled(priority, waitedMs);
  const toCloud = cloudKeys({ ...settings, claims, clock, random, intercept, userAgent, log, observe, onWaited });
  const keys = accounts({
    kubernetes,
    heldSecrets: caches.credentialsSecrets,
    ownKey: parts.ownKey,
    ownKeyNamespaces: settings.operatorCredentialsNamespaces,
    openKey: (key, operatorsOwn) => toCloud.open(key, operatorsOwn),
    wake: (users) => users.forEach(wakeUser),
  });
  const contextOf = (clusterUid: string): Context => ({
    kubernetes,
    recording,
    caches,
    contents: secretContents(caches.connectionSecrets, (key) => kubernetes.get(secretsWithData, key)),
    definitionOf: definitionReader(kubernetes),
    accounts: keys,
    claims,
    following: following(wakeUser),
    memory: memory(),
    loops: loopGuard(),
    clock,
    leadership,
    events,
    log,
    policy: settings.policy,
    database: settings.database,
    clusterUid,
    newId: parts.newId,
    newPassword: parts.newPassword,
    random,
  });
  const watching = watches({ client: kubernetes, connection: link, random, log });

  const state = { isReady: false, isStarted: false };
  metrics.sample(
    sourcesOf({ controllers: () => working, caches, tellsOfObjects: () => state.isStarted && leadership.held, toCloud, clock }),
  );
  const start = async () => {
    const context = contextOf(await awaitCluster(kubernetes, log, ending.signal));
    working = controllers(context, { workers: settings.workers, metrics });
    wire(context, working, watching, ending.signal);
    // No key is worked before every cache holds what a consistent list told.
    await caches.fill(watching, ending.signal);
    state.isReady = true;
    if (election) {
      await election.win(ending.signal);
      await caches.catchUp(kubernetes, ending.signal);
    }
    // Only who acts tells of it, or it would be told twice.
    tellOfAbandoned(context, (kind) => metrics.abandoned(kind));
    for (const made of working.all) made.start();
    state.isStarted = true;
    log.info({ ...version, namespaces: settings.namespaces ?? 'all', cloud: settings.cloudUrl.origin }, 'the operator works');
  };

  const health =
    settings.health &&
    (await healthServer({
      ...settings.health,
      waitingFor: () => (state.isReady ? [] : ['the API server, the CRDs and the first lists']),
      problem: () => (election?.isOverdue === true ? 'the lease has run out, and this process is still there' : undefined),
      metrics: () => metrics.text(),
    }));
  const started = start();
  started.catch(() => undefined); // told to whoever awaits it
  let isLost = false;
  const lost = (election?.lost ?? new Promise<never>(() => undefined)).then((why) => {
    isLost = true;
    return why;
  });
  const stop = async (graceMs: number) => {
    const visits = isLost ? 'abort' : 'finish';
    const ends = await Promise.all((working?.all ?? []).map((made) => made.stop(graceMs, visits)));
    keys.close();
    await Promise.race([events.flush(), systemClock.sleep(2_000)]);
    ending.abort(new Error('the operator is stopping'));
    await started.catch(() => undefined); // it may win at the last moment
    // What is still under way may arrive: then the others wait until the lease has run out.
    if (ends.every((hasEnded) => hasEnded)) await election?.release();
    await watching.ended();
    await health?.[Symbol.asyncDispose]();
    await link[Symbol.asyncDispose]();
    await election?.[Symbol.asyncDispose]();
  };
  let stopping: Promise<void> | undefined;
  return {
    started,
    lost,
    healthPort: health?.port,
    get idle() {
      return state.isStarted && working !== undefined && working.all.every(({ idle }) => idle);
    },
    stop: (graceMs) => (stopping ??= stop(graceMs)),
  };
}
