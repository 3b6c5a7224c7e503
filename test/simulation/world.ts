import { setTimeout as pause } from 'node:timers/promises';
import type { Operator } from '../../src/operator/operator.ts';
import * as z from 'zod';
import { startOperator } from '../../src/operator/operator.ts';
import type { reasons } from '../../src/resources/condition.ts';
import { secretsWithData } from '../../src/resources/connection-secret.ts';
import { newId, newPassword } from '../../src/operator/random-text.ts';
import { logger } from '../../src/logging/logging.ts';
import {
  ledgerEntriesWithData,
  type LedgerEntryWithData,
} from '../../src/resources/ledger-entry.ts';
import {
  type Kind,
  kinds,
  type ObjectOf,
  resourceTypes,
} from '../../src/resources/managed-object.ts';
import {
  acceleratedClock,
  connection,
  type ElectionSettings,
  kubernetesClient,
  type KubernetesClient,
  KubernetesError,
  resourceKey,
  type ResourceType,
  type ShardSettings,
  unlessNotFound,
} from '../../src/runtime/index.ts';
import { project as newProject, type Project, type Settings } from '../../src/simulator/project.ts';
import { randomUUID } from 'node:crypto';
import { defaultOptions } from '../support/default-options.ts';
import { serverSideApply } from '../support/server-side-apply.ts';
import { type MemoryApiServer, memoryApiServer } from './api-server/api-server.ts';
import { type MemoryCloud, memoryCloud } from './cloud.ts';
import { invariants } from './invariants.ts';
import { type Member, type Network, network } from './network.ts';
import { ledgerNamespace, storedObjects } from './stored.ts';
import type { Simulation } from './scheduler.ts';

export interface WorldOptions {
  readonly simulation: Simulation;
  /** Default: the simulator's own, without a lag of lists. */
  readonly cloud?: Settings;
  /** The level of the operators' log. Default: info. */
  readonly logLevel?: 'debug' | 'info' | undefined;
  /** Another cluster for the same project. Default: the world is the first. */
  readonly besides?: SimulatedWorld | undefined;
}

export interface OperatorOptions {
  /** Default: no election, since no other process acts. */
  readonly election?: ElectionSettings | undefined;
  /** How far the policy clock of the process is ahead of the world. Default 0. */
  readonly aheadMs?: number;
  /** Other clusters whose ledger entries it accepts. Default: none. */
  readonly acceptedClusters?: readonly string[] | undefined;
  /** Default: it has all objects. */
  readonly shard?: ShardSettings | undefined;
}

/** A request of a person to the cloud. */
export interface CloudRequestOfPerson {
  readonly method: 'POST' | 'DELETE';
  /** Below the project. */
  readonly path: string;
  readonly body?: object;
}

/** A cluster, a project in the cloud and their operators, in memory and in virtual time. */
export interface SimulatedWorld {
  readonly simulation: Simulation;
  readonly namespace: string;
  readonly project: Project;
  readonly network: Network;
  readonly apiServer: MemoryApiServer;
  readonly cloud: MemoryCloud;
  /** All projects of the cloud. The first is `project`. */
  readonly projects: Project[];
  /** Since when operators act without a pause; undefined: none acts. */
  servedSince: number | undefined;
  /** When processes died or froze. */
  readonly losses: number[];
  /** With the rights of an administrator. */
  readonly kubernetes: KubernetesClient;
  /** The log of all operators. */
  readonly log: string[];
  /** Method and path of each change that the cloud carried out, by anybody. */
  readonly carriedOut: string[];
  /** Sentences about each promise that was broken so far. */
  readonly problems: string[];
  /** Starts the operator, unchanged, as a process. */
  startOperator(member: Member, options?: OperatorOptions): Promise<Operator>;
  /** Has the effect of `kubectl apply --server-side`. */
  apply(...manifests: readonly object[]): Promise<void>;
  object<K extends Kind>(kind: K, name: string): Promise<ObjectOf<K> | undefined>;
  /** The text of a Secret in the namespace of the objects. */
  secret(name: string): Promise<Readonly<Record<string, string>> | undefined>;
  /** The ledger entry of the object with this uid, with its passwords. */
  entry(kind: Kind, uid: string): Promise<LedgerEntryWithData | undefined>;
  delete(kind: Kind, name: string): Promise<void>;
  patch(kind: Kind, name: string, change: object): Promise<void>;
  /** As `kubectl patch`, which alone may remove the operator's finalizer. An object that is gone stays gone. */
  kubectlPatch(kind: Kind, name: string, change: object): Promise<void>;
  /** As `kubectl replace`: all that the manifest lacks is removed, unless a policy refuses that. */
  replace(manifest: Manifest): Promise<void>;
  /** Deletes the namespace of the objects, and waits until it is gone. */
  deleteNamespace(): Promise<void>;
  /** Begins the deletion of the definition of a kind, with all its objects. */
  deleteDefinition(kind: Kind): void;
  /** Waits until the definitions that are being deleted are gone. */
  untilDefinitionsGone(): Promise<void>;
  /** @returns the id of the resource, from the reply. @throws if the cloud refuses */
  inCloud(request: CloudRequestOfPerson): Promise<string>;
  /** Waits until all of the present spec is reported as ready. */
  untilReady(kind: Kind, name: string): Promise<void>;
  /** Waits until the condition Ready has this reason. */
  untilReason(kind: Kind, name: string, reason: Reason): Promise<void>;
  untilGone(kind: Kind, name: string): Promise<void>;
  /** Waits until a condition holds. @throws after 30 minutes of virtual time */
  until(condition: string, look: () => Promise<boolean> | boolean): Promise<void>;
  letPass(forMs: number): Promise<void>;
}

export const operatorUser = 'system:serviceaccount:managed-db-system:managed-db-operator';
/** An object as its user wrote it. */
export interface Manifest {
  readonly kind: Kind;
  readonly metadata: { readonly name: string };
}

type Reason = (typeof reasons)['ready' | 'reconciling' | 'stalled'][number];

export const operatorNamespace = 'managed-db-system';
const namespace = 't-sim';
const lookEveryMs = 500;
const longestMs = 1_800_000;

/** The election of the chart, for a process with this identity. */
export function electionOf(identity: string): ElectionSettings {
  return {
    namespace: operatorNamespace,
    name: 'managed-db-operator',
    identity,
    leaseDurationMs: 15_000,
    renewDeadlineMs: 10_000,
    retryPeriodMs: 2_000,
  };
}

/** No socket opens: the address only shows in logs. */
const address = () => ({
  url: new URL('https://kubernetes.simulation'),
  credentials: () => Promise.resolve({ tls: {}, headers: {} }),
});

/** The report of each object. */
function reports(apiServer: MemoryApiServer): readonly string[] {
  return kinds.flatMap((kind) =>
    storedObjects(apiServer, kind).map(({ metadata, status }) => {
      const ready = status?.conditions?.find(({ type }) => type === 'Ready');
      return `${metadata.name} is ${ready?.reason}: ${ready?.message}`;
    }),
  );
}

/** A project of the cloud in virtual time. */
export function simulatedProject(id: string, settings: Settings = {}): Project {
  const apiKey = `sk-simulated-key-of-${id}`;
  return newProject({ id, apiKey, clock: acceleratedClock(1), ...settings });
}

const createdShape = z.object({ id: z.string().optional(), service_id: z.string().optional() });

/** A type whose objects are read for their version alone. */
function replaceable(type: ResourceType<unknown>): ResourceType<VersionedObject> {
  return { ...type, parse: (value) => versionedObject.parse(value) };
}

const versionedObject = z.object({
  metadata: z.object({ name: z.string(), namespace: z.string(), resourceVersion: z.string() }),
});
type VersionedObject = z.infer<typeof versionedObject>;

/** Makes a world in which the three namespaces exist. */
export async function startWorld({
  simulation,
  cloud: settings = {},
  logLevel = 'info',
  besides,
}: WorldOptions): Promise<SimulatedWorld> {
  const problems = besides?.problems ?? [];
  const carriedOut: string[] = [];
  const losses: number[] = [];
  const project = besides?.project ?? simulatedProject('prjsimulation', settings);
  const projects = besides?.projects ?? [project];
  const apiServer = memoryApiServer({ now: () => simulation.now, newUid: randomUUID });
  const cloud = memoryCloud((key) => projects.find(({ apiKey }) => apiKey === key));
  const check = invariants({
    apiServer,
    project,
    simulation,
    servedSince: () =>
      world.servedSince === undefined ? undefined : Math.max(world.servedSince, wires.blindUntil),
    losses,
    problems,
  });
  const wires = network({
    simulation,
    apiServer,
    cloud,
    onCloudChange(change) {
      if (change.status < 300) carriedOut.push(`${change.method} ${change.path}`);
      check.cloudChange(change);
    },
    onKubernetesChange: (path, isOperators) => check.kubernetesChange(path, isOperators),
  });
  const link = connection({
    apiServer: address,
    intercept: wires.ofUser('admin'),
    stallMs: 70_000,
  });
  const kubernetes = kubernetesClient({
    connection: link,
    fieldManager: 'test',
    userAgent: 'test',
  });
  const byHand = kubernetesClient({
    connection: link,
    fieldManager: 'kubectl-patch',
    userAgent: 'kubectl',
  });
  const log = besides?.log ?? [];
  const world: SimulatedWorld = {
    simulation,
    namespace,
    project,
    network: wires,
    apiServer,
    cloud,
    projects,
    servedSince: undefined,
    losses,
    kubernetes,
    log,
    carriedOut,
    problems,
    startOperator: (member, { election, shard, aheadMs = 0, acceptedClusters = [] } = {}) =>
      member.process.run(() => {
        const own = acceleratedClock(1);
        return startOperator(
          {
            cloudUrl: new URL('https://cloud.simulation'),
            namespaces: [namespace],
            operatorCredentialsNamespaces: ['*'],
            ledgerNamespace,
            options: { ...defaultOptions, sharedProjectAdoption: true, acceptedClusters },
            database: { user: 'postgres', name: 'postgres' },
            workers: 8,
            rateLimit: { perSecond: 10_000, burst: 10_000 },
            health: undefined,
            usageMetrics: false,
            leaderElection: election,
            shard,
          },
          {
            apiServer: address,
            ownKey: () => Promise.resolve(project.apiKey),
            log: logger({
              level: logLevel,
              format: 'json',
              write(line) {
                // The level must not decide about the digest.
                if (!line.startsWith('{"level":"debug"'))
                  simulation.note(`${member.process.name} log ${line}`);
                log.push(line);
              },
            }),
            clock: { ...own, now: () => own.now() + aheadMs },
            random: simulation.drawn,
            newId,
            newPassword,
            intercept: wires.of(member),
          },
        );
      }),
    async apply(...manifests) {
      for (const manifest of manifests) await serverSideApply(link, namespace, manifest);
    },
    object: (kind, name) => kubernetes.get(resourceTypes[kind], resourceKey(namespace, name)),
    secret: async (name) =>
      (await kubernetes.get(secretsWithData, resourceKey(namespace, name)))?.data,
    entry: (kind, uid) =>
      kubernetes.get(
        ledgerEntriesWithData,
        resourceKey(ledgerNamespace, `${kind.toLowerCase()}-${uid}`),
      ),
    async delete(kind, name) {
      await kubernetes.delete<unknown>(resourceTypes[kind], resourceKey(namespace, name));
    },
    async patch(kind, name, change) {
      await kubernetes.patch<unknown>(resourceTypes[kind], resourceKey(namespace, name), change);
    },
    async kubectlPatch(kind, name, change) {
      await unlessNotFound(
        byHand.patch<unknown>(resourceTypes[kind], resourceKey(namespace, name), change),
      );
    },
    async replace({ metadata, ...manifest }) {
      const type = replaceable(resourceTypes[manifest.kind]);
      const key = resourceKey(namespace, metadata.name);
      const live = await kubernetes.get(type, key);
      if (!live) return;
      const { resourceVersion } = live.metadata;
      const next = { ...manifest, metadata: { ...metadata, namespace, resourceVersion } };
      try {
        await kubernetes.replace(type, key, next);
      } catch (error) {
        if (!(error instanceof KubernetesError)) throw error; // refused, or another writer was faster
      }
    },
    async deleteNamespace() {
      const path = `/api/v1/namespaces/${namespace}`;
      apiServer.answer({ method: 'DELETE', path, user: 'admin' });
      await world.until('the namespace to be gone', () => {
        const isThere = apiServer.sweepNamespaces();
        check.kubernetesChange(path, false);
        return !isThere;
      });
    },
    deleteDefinition(kind) {
      apiServer.definitions.delete(resourceTypes[kind].plural);
      check.kubernetesChange('', false);
    },
    untilDefinitionsGone: () =>
      world.until('the definition to be gone', () => {
        const isThere = apiServer.definitions.sweep();
        check.kubernetesChange('', false);
        return !isThere;
      }),
    async inCloud({ method, path, body }) {
      const reply = await cloud.answer({
        method,
        path: `/projects/${project.id}/${path}`,
        authorization: `Bearer ${project.apiKey}`,
        body: body && JSON.stringify(body),
      });
      if (reply.type === 'dropped' || reply.status >= 300)
        throw new Error(`the cloud refused ${method} ${path}`);
      const { id, service_id = id ?? '' } = createdShape.parse(reply.body ?? {});
      return service_id;
    },
    untilReason: (kind, name, reason) =>
      world.until(`${kind} ${name} to be ${reason}`, async () => {
        const conditions = (await world.object(kind, name))?.status?.conditions ?? [];
        return conditions.some((each) => each.type === 'Ready' && each.reason === reason);
      }),
    untilReady: (kind, name) =>
      world.until(`${kind} ${name} to be ready`, async () => {
        const object = await world.object(kind, name);
        const conditions = object?.status?.conditions ?? [];
        const ready = conditions.find(({ type }) => type === 'Ready');
        return (
          !conditions.some(({ type }) => type === 'Reconciling' || type === 'Stalled') &&
          ready?.status === 'True' &&
          ready.observedGeneration === object?.metadata.generation
        );
      }),
    untilGone: (kind, name) =>
      world.until(
        `${kind} ${name} to be gone`,
        async () => (await world.object(kind, name)) === undefined,
      ),
    async until(condition, look) {
      const begun = performance.now();
      while (!(await look())) {
        if (performance.now() - begun > longestMs)
          throw new Error(`waited for ${condition}: ${reports(apiServer).join('; ')}`);
        await pause(lookEveryMs);
      }
    },
    letPass: (forMs) => pause(forMs),
  };
  for (const name of [namespace, ledgerNamespace, operatorNamespace]) {
    const body = JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    apiServer.answer({
      method: 'POST',
      path: '/api/v1/namespaces',
      contentType: 'application/json',
      body,
      user: 'admin',
    });
  }
  return world;
}
