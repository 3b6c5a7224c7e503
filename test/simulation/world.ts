import { setTimeout as pause } from 'node:timers/promises';
import type { Operator } from '../../src/operator/operator.ts';
import { startOperator } from '../../src/operator/operator.ts';
import { newId, newPassword } from '../../src/operator/random-text.ts';
import { logger } from '../../src/logging/logging.ts';
import {
  ledgerEntriesWithData,
  type LedgerEntryWithData,
} from '../../src/resources/ledger-entry.ts';
import { type Kind, type ObjectOf, resourceTypes } from '../../src/resources/managed-object.ts';
import {
  acceleratedClock,
  connection,
  type ElectionSettings,
  kubernetesClient,
  type KubernetesClient,
  resourceKey,
} from '../../src/runtime/index.ts';
import { project as newProject, type Project, type Settings } from '../../src/simulator/project.ts';
import { randomUUID } from 'node:crypto';
import { defaultOptions } from '../support/default-options.ts';
import { serverSideApply } from '../support/server-side-apply.ts';
import { type MemoryApiServer, memoryApiServer } from './api-server/api-server.ts';
import { memoryCloud } from './cloud.ts';
import { invariants } from './invariants.ts';
import { type Member, type Network, network } from './network.ts';
import { ledgerNamespace } from './stored.ts';
import type { Simulation } from './scheduler.ts';

export interface WorldOptions {
  readonly simulation: Simulation;
  /** Default: the simulator's own, without a lag of lists. */
  readonly cloud?: Settings;
}

export interface OperatorOptions {
  /** Default: no election, since no other process acts. */
  readonly election?: ElectionSettings | undefined;
  /** How far the policy clock of the process is ahead of the world. Default 0. */
  readonly aheadMs?: number;
}

/** A cluster, a project in the cloud and their operators, in memory and in virtual time. */
export interface SimulatedWorld {
  readonly simulation: Simulation;
  readonly namespace: string;
  readonly project: Project;
  readonly network: Network;
  readonly apiServer: MemoryApiServer;
  /** With the rights of an administrator. */
  readonly kubernetes: KubernetesClient;
  /** The log of all operators at level debug. */
  readonly log: string[];
  /** Sentences about each promise that was broken so far. */
  readonly problems: string[];
  /** Starts the operator, unchanged, as a process. */
  startOperator(member: Member, options?: OperatorOptions): Promise<Operator>;
  /** Has the effect of `kubectl apply --server-side`. */
  apply(...manifests: readonly object[]): Promise<void>;
  object<K extends Kind>(kind: K, name: string): Promise<ObjectOf<K> | undefined>;
  /** The ledger entry of the object with this uid, with its passwords. */
  entry(kind: Kind, uid: string): Promise<LedgerEntryWithData | undefined>;
  delete(kind: Kind, name: string): Promise<void>;
  patch(kind: Kind, name: string, change: object): Promise<void>;
  untilReady(kind: Kind, name: string): Promise<void>;
  untilGone(kind: Kind, name: string): Promise<void>;
  /** Waits until a condition holds. @throws after 30 minutes of virtual time */
  until(condition: string, look: () => Promise<boolean> | boolean): Promise<void>;
  letPass(forMs: number): Promise<void>;
}

export const operatorUser = 'system:serviceaccount:managed-db-system:managed-db-operator';
const operatorNamespace = 'managed-db-system';
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

/** Makes a world in which the three namespaces exist. */
export async function startWorld({
  simulation,
  cloud = {},
}: WorldOptions): Promise<SimulatedWorld> {
  const problems: string[] = [];
  const clock = acceleratedClock(1);
  const project = newProject({
    id: 'prjsimulation',
    apiKey: 'sk-simulated-key-of-the-project',
    clock,
    ...cloud,
  });
  const apiServer = memoryApiServer({ now: () => simulation.now, newUid: randomUUID });
  const check = invariants({ apiServer, project, now: () => simulation.now, problems });
  const wires = network({
    simulation,
    apiServer,
    cloud: memoryCloud(project),
    onCloudChange: (change) => check.cloudChange(change),
    onKubernetesChange: (path) => check.kubernetesChange(path),
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
  const log: string[] = [];
  const world: SimulatedWorld = {
    simulation,
    namespace,
    project,
    network: wires,
    apiServer,
    kubernetes,
    log,
    problems,
    startOperator: (member, { election, aheadMs = 0 } = {}) =>
      member.process.run(() => {
        const own = acceleratedClock(1);
        return startOperator(
          {
            cloudUrl: new URL('https://cloud.simulation'),
            namespaces: [namespace],
            operatorCredentialsNamespaces: ['*'],
            ledgerNamespace,
            options: defaultOptions,
            database: { user: 'postgres', name: 'postgres' },
            workers: 8,
            rateLimit: { perSecond: 10_000, burst: 10_000 },
            health: undefined,
            usageMetrics: false,
            leaderElection: election,
          },
          {
            apiServer: address,
            ownKey: () => Promise.resolve(project.apiKey),
            log: logger({
              level: 'debug',
              format: 'json',
              write(line) {
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
        if (performance.now() - begun > longestMs) throw new Error(`waited for ${condition}`);
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
