import assert from 'node:assert/strict';
import { randomBytes, randomInt } from 'node:crypto';
import type { Dispatcher } from 'undici';
import { inject } from 'vitest';
import * as z from 'zod';
import { logger } from '../../src/logging/logging.ts';
import {
  type Operator,
  type OperatorSettings,
  startOperator,
} from '../../src/operator/operator.ts';
import { newId, newPassword } from '../../src/operator/random-text.ts';
import { secretsWithData } from '../../src/resources/connection-secret.ts';
import {
  ledgerEntriesWithData,
  type LedgerEntryWithData,
} from '../../src/resources/ledger-entry.ts';
import { type ManagedService, managedServices } from '../../src/resources/managed-service.ts';
import { type ManagedVpc, managedVpcs } from '../../src/resources/managed-vpc.ts';
import { type ReplicaSet, replicaSets } from '../../src/resources/replica-set.ts';
import {
  type Clock,
  connection,
  kubernetesClient,
  type KubernetesClient,
  type Leadership,
  resourceKey,
  type ResourceType,
} from '../../src/runtime/index.ts';
import { kubeconfig } from '../../src/runtime/kubeconfig.ts';
import { type Route, routes } from '../../src/simulator/api-server.ts';
import type { Offers } from '../../src/simulator/offers.ts';
import type { Project } from '../../src/simulator/project.ts';
import { type Simulator, startSimulator } from '../../src/simulator/simulator.ts';
import type { ControlPlaneHandle } from '../control-plane/control-plane.ts';
import { adminKubeconfig, kubeconfigFor, kubeconfigText } from '../control-plane/kubeconfig.ts';
import { kubectl as runKubectl, type KubectlResult } from '../control-plane/kubectl.ts';
import { defaultOptions } from './default-options.ts';
import { documented } from './documented.ts';
import { gearedClock, type GearedClock } from './geared-clock.ts';
import { serverSideApply } from './server-side-apply.ts';
import { traffic } from './traffic.ts';
import { until } from './until.ts';

export interface WorldOptions {
  /** Speed of policy time. Default 60: a minute takes a second. */
  readonly speed?: number;
  /** Milliseconds of policy time that the cloud works on a change. Default 2,000. */
  readonly latencyMs?: number;
  readonly listLagMs?: number;
  /** Milliseconds of policy time that the cloud works on a deletion. Default: as on a change. */
  readonly deleteLatencyMs?: number;
  /** Whether the reply to a create has the endpoint. Default true. */
  readonly endpointAtOnce?: boolean;
  /** The sizes and regions that the cloud has. Default: any. */
  readonly offers?: Offers;
  readonly settings?: Partial<OperatorSettings>;
  readonly start?: boolean;
  /** The reason why operators are not quiet at the end of the test. Default: the test requires that they become quiet. */
  readonly endsRestless?: string;
}

export interface OperatorOptions {
  readonly intercept?: Dispatcher.DispatcherComposeInterceptor;
  /** Whether it was killed. The end of the test does not wait for it. */
  readonly isDead?: () => boolean;
  readonly settings?: Partial<OperatorSettings>;
  readonly newId?: () => string;
  /** Default: the clock of the world. */
  readonly clock?: Clock;
  /** Default: always the leader. */
  readonly leadership?: Leadership;
  /** The token of its identity. Default: the operator's ServiceAccount in deploy/install.yaml. */
  readonly token?: string;
  /** Another cluster than that of the tests, with admin rights. */
  readonly cluster?: ControlPlaneHandle;
}

/** The ledger of all tests, unless a test names another ledger. */
export const ledgerNamespace = 'managed-db-ledger';

/** The kinds, by their names in tests. */
export const worldKinds = ['vpc', 'service', 'replicaSet'] as const;
export type WorldKind = (typeof worldKinds)[number];
export const worldTypes = {
  vpc: managedVpcs,
  service: managedServices,
  replicaSet: replicaSets,
} satisfies Record<WorldKind, object>;

export const worldKindOf = (kind: string) =>
  worldKinds.find((each) => worldTypes[each].kind === kind);

/** The world of a test: a namespace, a project in the cloud, a clock, and its operators. */
export interface World extends AsyncDisposable {
  readonly namespace: string;
  readonly project: Project;
  readonly simulator: Simulator;
  readonly clock: GearedClock;
  readonly kubernetes: KubernetesClient;
  /** The log of all operators at level trace. */
  readonly log: string[];
  startOperator(options?: OperatorOptions): Promise<Operator>;
  /** Starts an operator, and waits until it works. */
  startedOperator(options?: OperatorOptions): Promise<Operator>;
  stopOperators(): Promise<void>;
  kubectl(args: readonly string[], input?: string): Promise<KubectlResult>;
  /** Applies manifests, as objects, in this namespace. */
  apply(...manifests: readonly object[]): Promise<void>;
  /** Applies an object and waits until it is ready. */
  applyUntilReady(manifest: {
    readonly kind: string;
    readonly metadata: { readonly name: string };
  }): Promise<void>;
  vpc(name: string): Promise<ManagedVpc | undefined>;
  service(name: string): Promise<ManagedService | undefined>;
  replicaSet(name: string): Promise<ReplicaSet | undefined>;
  /** Creates a resource in the cloud past the operator. @param path below the project. @returns the status code */
  createInCloud(path: string, body: object): Promise<number>;
  /** The decoded data of a Secret. */
  secret(name: string): Promise<Readonly<Record<string, string>> | undefined>;
  /** The ledger entry of the service with this name, or of the object with this uid, with its passwords. */
  entry(
    service: string | { readonly kind?: string; readonly uid: string },
  ): Promise<LedgerEntryWithData | undefined>;
  untilReady(kind: WorldKind, name: string): Promise<void>;
  /** Waits until the present spec is applied, whether the resource serves or not. */
  untilSynced(kind: WorldKind, name: string): Promise<void>;
  untilReason(kind: WorldKind, name: string, reason: string): Promise<string>;
  /** Waits for an event with this reason on an object, and returns its message. */
  untilEvent(name: string, reason: string): Promise<string>;
  untilGone(kind: WorldKind, name: string): Promise<void>;
  /** Deletes an object as `kubectl delete --wait=false` does, without a process. */
  delete(kind: WorldKind, name: string): Promise<void>;
  /** A merge patch of an object, as of `kubectl patch`, without a process. */
  patch(kind: WorldKind, name: string, change: object): Promise<void>;
  /** Deletes an object and waits until it is gone. */
  remove(kind: WorldKind, name: string): Promise<void>;
  /** Requests another visit to an object and waits until it was made, for tests that a change must not happen. */
  sync(kind: WorldKind, name: string): Promise<void>;
}

export async function startWorld(options: WorldOptions = {}): Promise<World> {
  const handle = inject('controlPlane');
  const {
    speed = 60,
    latencyMs = 2_000,
    listLagMs = 0,
    deleteLatencyMs,
    endpointAtOnce = true,
    offers,
  } = options;
  const clock = gearedClock(speed);
  const deletions = deleteLatencyMs === undefined ? {} : { deleteLatencyMs };
  const simulator = await startSimulator({
    clock,
    latencyMs,
    listLagMs,
    endpointAtOnce,
    ...deletions,
    ...(offers ? { offers } : {}),
  });
  const project = simulator.addProject();
  const namespace = `t-${randomBytes(4).toString('hex')}`;
  const admin = kubeconfigText(adminKubeconfig(handle));
  const link = connection({
    apiServer: () => kubeconfig({ text: admin }).apiServer(),
    stallMs: 70_000,
  });
  const kubernetes = kubernetesClient({
    connection: link,
    fieldManager: 'test',
    userAgent: 'test',
  });
  await kubernetes.create(namespaces, undefined, {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: namespace },
  });
  const operators: { readonly operator: Operator; readonly isDead: () => boolean }[] = [];
  const log: string[] = [];
  const said = traffic();
  const toCloud = documented(simulator.url);

  const read = {
    vpc: (name: string) => kubernetes.get(managedVpcs, resourceKey(namespace, name)),
    service: (name: string) => kubernetes.get(managedServices, resourceKey(namespace, name)),
    replicaSet: (name: string) => kubernetes.get(replicaSets, resourceKey(namespace, name)),
  };
  const synced = async (kind: keyof typeof read, name: string) =>
    (await read[kind](name))?.status?.conditions?.find(({ type }) => type === 'Synced');
  const allEvents = async () => (await kubernetes.list(events, { namespace })).items;
  const world: World = {
    namespace,
    project,
    simulator,
    clock,
    kubernetes,
    log,
    ...read,
    async startOperator(more = {}) {
      const { cluster, token = inject('operatorToken') } = more;
      // Another cluster has the definitions only.
      if (cluster) await runKubectl(cluster, ['create', 'namespace', ledgerNamespace]);
      const text = kubeconfigText(
        cluster ? adminKubeconfig(cluster) : kubeconfigFor(handle, { token }),
      );
      const operator = await startOperator(
        {
          cloudUrl: new URL(simulator.url),
          namespaces: [namespace],
          operatorCredentialsNamespaces: ['*'],
          ledgerNamespace,
          options: defaultOptions,
          database: { user: 'postgres', name: 'postgres' },
          workers: 8,
          rateLimit: { perSecond: 10_000, burst: 10_000 },
          health: undefined,
          usageMetrics: false,
          ...options.settings,
          ...more.settings,
        },
        {
          apiServer: () => kubeconfig({ text }).apiServer(),
          ...(more.leadership ? { leadership: more.leadership } : {}),
          ownKey: () => Promise.resolve(project.apiKey),
          log: logger({ level: 'trace', format: 'json', write: (line) => void log.push(line) }),
          clock: more.clock ?? clock,
          random: () => randomInt(2 ** 47) / 2 ** 47,
          newId: more.newId ?? newId,
          newPassword,
          intercept: composed(
            ...(more.intercept ? [more.intercept] : []),
            said.intercept,
            toCloud.intercept,
          ),
        },
      );
      operators.push({ operator, isDead: more.isDead ?? (() => false) });
      return operator;
    },
    async startedOperator(more) {
      const operator = await world.startOperator(more);
      await operator.started;
      return operator;
    },
    async stopOperators() {
      const alive = operators.splice(0).filter(({ isDead }) => !isDead());
      await Promise.all(alive.map(({ operator }) => operator.stop(2_000)));
    },
    kubectl: (args, input) =>
      runKubectl(handle, ['--namespace', namespace, ...args], input === undefined ? {} : { input }),
    async apply(...manifests) {
      for (const manifest of manifests) await serverSideApply(link, namespace, manifest);
    },
    async applyUntilReady(manifest) {
      await world.apply(manifest);
      const kind = worldKindOf(manifest.kind);
      assert.ok(kind, `${manifest.kind} is no kind of ours`);
      await world.untilReady(kind, manifest.metadata.name);
    },
    async createInCloud(path, body) {
      const isThis = (route: Route) =>
        route.method !== 'GET' && route.path.split('/').at(-1) === path.split('/').at(-1);
      const reply = await fetch(`${simulator.url}/projects/${project.id}/${path}`, {
        method: routes.find(isThis)?.method ?? 'POST',
        headers: { authorization: `Bearer ${project.apiKey}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      await reply.arrayBuffer();
      return reply.status;
    },
    async secret(name) {
      return (await kubernetes.get(secretsWithData, resourceKey(namespace, name)))?.data;
    },
    async entry(service) {
      const { kind = 'ManagedService', uid } =
        typeof service === 'string'
          ? { uid: (await read.service(service))?.metadata.uid }
          : service;
      return kubernetes.get(
        ledgerEntriesWithData,
        resourceKey(ledgerNamespace, `${kind.toLowerCase()}-${uid}`),
      );
    },
    async untilReady(kind, name) {
      await until(
        `${kind} ${name} to be ready`,
        async () => {
          const object = await read[kind](name);
          const conditions = object?.status?.conditions ?? [];
          const isAtWork = conditions.some(
            ({ type }) => type === 'Reconciling' || type === 'Stalled',
          );
          const ready = conditions.find(({ type }) => type === 'Ready');
          return (
            !isAtWork &&
            ready?.status === 'True' &&
            ready.observedGeneration === object?.metadata.generation
          );
        },
        async () => [await read[kind](name), log.slice(-15)],
      );
    },
    async untilSynced(kind, name) {
      await until(
        `${kind} ${name} to be as its spec asks`,
        async () => {
          const object = await read[kind](name);
          const condition = object?.status?.conditions?.find(({ type }) => type === 'Synced');
          return (
            condition?.status === 'True' &&
            condition.observedGeneration === object?.metadata.generation
          );
        },
        async () => [await read[kind](name), log.slice(-15)],
      );
    },
    async untilReason(kind, name, reason) {
      return until(
        `${kind} ${name} to say ${reason}`,
        async () => {
          const condition = await synced(kind, name);
          return condition?.reason === reason ? condition.message : undefined;
        },
        async () => [await synced(kind, name), log.slice(-15)],
      );
    },
    async untilEvent(name, reason) {
      const isAsked = (event: ToldEvent) =>
        event.involvedObject.name === name && event.reason === reason;
      return until(
        `an event ${reason} on ${name}`,
        async () => {
          const messages = (await allEvents()).filter(isAsked).map(({ message }) => message);
          return messages.length > 0 && messages.join(' ');
        },
        allEvents,
      );
    },
    async untilGone(kind, name) {
      await until(
        `${kind} ${name} to be gone`,
        async () => (await read[kind](name)) === undefined,
        async () => [await read[kind](name), log.slice(-15)],
      );
    },
    async delete(kind, name) {
      await kubernetes.delete<unknown>(worldTypes[kind], resourceKey(namespace, name));
    },
    async patch(kind, name, change) {
      await kubernetes.patch<unknown>(worldTypes[kind], resourceKey(namespace, name), change);
    },
    async remove(kind, name) {
      await world.delete(kind, name);
      await world.untilGone(kind, name);
    },
    async sync(kind, name) {
      const token = randomBytes(4).toString('hex');
      const annotations = { 'reconcile.managed-db.io/requestedAt': token };
      await kubernetes.patch<unknown>(worldTypes[kind], resourceKey(namespace, name), {
        metadata: { annotations },
      });
      await until(
        `${kind} ${name} to be looked at`,
        async () => (await read[kind](name))?.status?.lastHandledReconcileAt === token,
        async () => [await read[kind](name), log.slice(-15)],
      );
    },
    async [Symbol.asyncDispose]() {
      try {
        const isAlive = operators.some(({ isDead }) => !isDead());
        if (isAlive && options.endsRestless === undefined)
          await said.untilQuiet(Math.max(restMs / clock.speed, shortestRestMs));
        assert.deepEqual(
          toCloud.problems(),
          [],
          'what went to the cloud and back is as docs/reference/openapi.yaml has it',
        );
      } finally {
        await world.stopOperators();
        await simulator.close();
        await link[Symbol.asyncDispose]();
      }
    },
  };
  if (options.start !== false) await world.startedOperator();
  return world;
}

/** Policy time without a write after which operators count as quiet, and real time, since a write takes some. */
const restMs = 10_000;
const shortestRestMs = 150;

function composed(
  ...intercepts: readonly Dispatcher.DispatcherComposeInterceptor[]
): Dispatcher.DispatcherComposeInterceptor {
  return (dispatch) => intercepts.reduceRight((inner, intercept) => intercept(inner), dispatch);
}

type ToldEvent = z.infer<typeof toldEvent>;

const toldEvent = z.object({
  involvedObject: z.object({ name: z.string() }),
  reason: z.string(),
  message: z.string(),
});

/** Events, with the parts that tests look at. */
export const events: ResourceType<ToldEvent> = {
  group: '',
  version: 'v1',
  plural: 'events',
  kind: 'Event',
  parse: (value) => toldEvent.parse(value),
};
const namespaces: ResourceType<unknown> = {
  group: '',
  version: 'v1',
  plural: 'namespaces',
  kind: 'Namespace',
  parse: (value) => value,
};
