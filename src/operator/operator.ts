import type { Dispatcher } from 'undici';
import type { CallObservation } from '../cloud/cloud-client.ts';
import type { EgressProxy } from '../cloud/egress.ts';
import { accounts } from '../reconcile/credentials/accounts.ts';
import { claimTable } from '../reconcile/wiring/claims.ts';
import { definitionReader } from '../reconcile/wiring/custom-resource-definition.ts';
import { restoreFinalizers } from '../reconcile/act/restore-finalizers.ts';
import { reportAbandoned } from '../reconcile/report/report-abandoned.ts';
import { rememberLostEntries } from '../reconcile/wiring/lost-entries.ts';
import type { RuleOptions } from '../reconcile/situation/situation.ts';
import {
  type ApiServer,
  type Clock,
  type ElectionSettings,
  type Leadership,
  type Log,
  loggedOutage,
  manager,
  type Outage,
  type Running,
  type ShardSettings,
  systemClock,
} from '../runtime/index.ts';
import { awaitCluster, watchDefinitions } from './await-cluster.ts';
import { operatorCaches } from './caches.ts';
import { contextOf } from './context.ts';
import { cloudKeys } from './cloud-keys.ts';
import { wireControllers } from './controllers.ts';
import { keyClient } from './key-client.ts';
import { countSynced, operatorMetrics } from './metrics/operator-metrics.ts';
import { version } from './version.ts';

export interface OperatorSettings {
  readonly cloudUrl: URL;
  /** For the cloud, not for Kubernetes. Default: a direct connection. */
  readonly proxy?: EgressProxy | undefined;
  readonly namespaces: readonly string[] | undefined;
  readonly operatorCredentialsNamespaces: readonly string[];
  readonly ledgerNamespace: string;
  readonly options: RuleOptions;
  readonly database: { readonly user: string; readonly name: string };
  readonly workers: number;
  readonly rateLimit: { readonly perSecond: number; readonly burst: number };
  /** Undefined: no other process can act. */
  readonly leaderElection?: ElectionSettings | undefined;
  /** Undefined: this process has all objects. The election is for the Lease of this shard then. */
  readonly shard?: ShardSettings | undefined;
  readonly usageMetrics: boolean;
  readonly health: { readonly host: string; readonly port: number } | undefined;
}

/** A test, a crash plan or the demo brings its own dependencies. */
export interface OperatorParts {
  /** See {@link ManagerOptions.apiServer}. */
  readonly apiServer: () => ApiServer;
  /** Undefined when there is no own key. Called for each use, since the key may be rotated. */
  readonly ownKey: () => Promise<string | undefined>;
  readonly log: Log;
  readonly clock?: Clock;
  /** Replaces the result of an election. */
  readonly leadership?: Leadership;
  readonly random: () => number;
  /** 16 lowercase letters and digits. */
  readonly newId: () => string;
  readonly newPassword: () => string;
  readonly intercept?: Dispatcher.DispatcherComposeInterceptor;
}

export type Operator = Running;

const name = 'managed-db-operator';
const userAgent = `${name}/${version.version}`;

export async function startOperator(
  settings: OperatorSettings,
  parts: OperatorParts,
): Promise<Operator> {
  const {
    apiServer,
    log,
    clock = systemClock,
    leadership,
    random,
    newId,
    newPassword,
    intercept,
  } = parts;
  const { namespaces, options, database, health, leaderElection: election, shard } = settings;
  const metrics = operatorMetrics(version, { usage: settings.usageMetrics, ofProcess: !!health });
  const kubernetes = { apiServer, intercept, namespaces };
  const runtime = manager({
    name,
    userAgent,
    ...kubernetes,
    log,
    clock,
    random,
    election,
    shard,
    leadership,
    health,
    metrics,
  });
  const caches = operatorCaches(runtime, settings.ledgerNamespace, namespaces);
  const claims = claimTable(caches, clock);
  const cloudName = `the cloud at ${settings.cloudUrl.origin}`;
  const cloud = loggedOutage(
    cloudName,
    'databases keep running, and the operator changes nothing until it answers',
    log,
  );
  const observe = (call: CallObservation) => {
    metrics.cloudCall(call);
    reportCall(cloud, call);
  };
  const onWaited: typeof metrics.throttled = (...waited) => metrics.throttled(...waited);
  const clientOf = (key: string) =>
    keyClient(key, { ...settings, clock, intercept, userAgent, log, observe, onWaited });
  const toCloud = cloudKeys({ clientOf, claims, clock, random });
  const keys = accounts({
    kubernetes: runtime.client,
    heldSecrets: caches.credentialsSecrets,
    ownKey: parts.ownKey,
    ownKeyNamespaces: settings.operatorCredentialsNamespaces,
    openKey: (key, operatorsOwn) => toCloud.open(key, operatorsOwn),
    wake: (users) => users.forEach((user) => runtime.enqueue(user)),
  });
  let clusterUid: string | undefined;
  metrics.sample({
    runtime,
    caches,
    lease: election?.name,
    toCloud,
    claims,
    clock,
    clusterUid: () => clusterUid,
  });
  return runtime.start({
    async prepare(signal, waitFor, giveUp) {
      const uid = await awaitCluster(runtime.client, { log, waitFor }, signal);
      clusterUid = uid;
      const chance = { random, newId, newPassword, clusterUid: uid };
      // An older CRD may have dropped fields of objects that this process read or wrote: no visit may go on.
      const definitionOf = definitionReader(runtime.client, caches.ofAllKinds, clock, giveUp);
      void watchDefinitions(definitionOf, signal);
      const context = contextOf(runtime, {
        caches,
        definitionOf,
        accounts: keys,
        claims,
        clock,
        log,
        options,
        database,
        ...chance,
      });
      // Before the wake-ups: the visit that the end of an entry wakes begins at once, and reads the evidence.
      rememberLostEntries({ ...context, shard: runtime.shard });
      wireControllers(runtime, context, { workers: settings.workers, metrics });
      return () => {
        wireLeader({ ...context, shard: runtime.shard }, metrics);
        const scope = {
          namespaces: namespaces ?? 'all',
          ...(shard && { [shard.label]: shard.name }),
        };
        log.info({ ...version, ...scope, cloud: settings.cloudUrl.origin }, 'the operator works');
      };
    },
    afterWork: () => keys.close(),
  });
}

/** The work of the leader beside the visits: each replica would repeat it otherwise. */
function wireLeader(
  context: Parameters<typeof reportAbandoned>[0] & Parameters<typeof restoreFinalizers>[0],
  metrics: Pick<ReturnType<typeof operatorMetrics>, 'synced' | 'abandoned'>,
): void {
  countSynced(context.caches, context.clock, (kind, waitedMs) => metrics.synced(kind, waitedMs));
  reportAbandoned(context, (kind) => metrics.abandoned(kind));
  restoreFinalizers(context);
}

/** Every answer shows that the cloud is there. An aborted call shows nothing. */
function reportCall(
  cloud: Outage,
  { outcome, error }: Pick<CallObservation, 'outcome' | 'error'>,
): void {
  if (outcome === 'aborted') return;
  if (outcome === 'network' || outcome === 'timeout' || outcome === 'server') cloud.failed(error);
  else cloud.answered();
}
