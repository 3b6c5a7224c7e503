import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inject } from 'vitest';
import { stringify } from 'yaml';
import { leases, resourceKey } from '../../src/runtime/index.ts';
import { kubeconfigFor } from '../control-plane/kubeconfig.ts';
import { freePort } from '../control-plane/free-port.ts';
import { httpProxy, type HttpProxy, type Passing } from '../support/http-proxy.ts';
import { operatorProcess, type OperatorProcess } from '../support/operator-process.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';
import type { World } from '../support/world.ts';

/** Shorter than in earnest, and long enough that a replica on a slow machine does not lose it for being kept waiting. */
export const lease = { durationMs: 8_000, deadlineMs: 5_000, retryMs: 1_000 };
/** How many times as fast policy time runs in the world of replicas, and so in them. */
export const speed = 60;

/** A process of the operator among several, and all its requests to the API server and to the cloud. */
export interface Replica extends AsyncDisposable {
  readonly process: OperatorProcess;
  readonly kubernetes: HttpProxy;
  readonly cloud: HttpProxy;
  readonly health: string;
  /** The changes that this process requested from the cloud. */
  readonly cloudChanges: () => readonly Passing[];
  /** It waits for the lease. */
  untilStandingBy(): Promise<void>;
  /** It holds the lease and works. */
  untilWorking(): Promise<void>;
}

const program = fileURLToPath(new URL('../support/fast-operator.ts', import.meta.url));
const leaseName = 'operator';

/** Lets replicas keep a Lease in the namespace of this test. */
export async function allowLease(world: World): Promise<void> {
  const role = [
    'create',
    'role',
    'lease',
    '--verb=get,create,update',
    '--resource=leases.coordination.k8s.io',
  ];
  const binding = [
    'create',
    'rolebinding',
    'lease',
    '--role=lease',
    '--serviceaccount=managed-db-system:managed-db-operator',
  ];
  for (const args of [role, binding]) {
    const made = await world.kubectl(args);
    if (made.code !== 0) throw new Error(made.stderr);
  }
}

/** @param more further settings */
export async function startReplica(
  world: World,
  more: Readonly<Record<string, string>> = {},
): Promise<Replica> {
  const handle = inject('controlPlane');
  const folder = await temporaryFolder();
  const ca = Buffer.from(handle.caData, 'base64').toString('utf8');
  const kubernetes = await httpProxy(handle.server, { ca, token: inject('operatorToken') });
  const cloud = await httpProxy(world.simulator.url);
  const kubeconfig = join(folder.path, 'kubeconfig');
  // The proxy knows the token: over HTTP none is sent.
  const config = kubeconfigFor({ server: kubernetes.url, caData: '' }, { token: '' });
  const clusters = [
    {
      name: 'control-plane',
      cluster: { server: kubernetes.url, 'insecure-skip-tls-verify': true },
    },
  ];
  await writeFile(kubeconfig, stringify({ ...config, clusters }), { mode: 0o600 });
  const port = await freePort();
  const settings = {
    'cloud-url': cloud.url,
    namespaces: world.namespace,
    'operator-credentials-namespaces': '*',
    kubeconfig,
    'health-address': `127.0.0.1:${port}`,
    'log-level': 'debug',
    'rate-limit': '10000',
    'rate-burst': '10000',
    'leader-elect-lease-duration': `${lease.durationMs}ms`,
    'leader-elect-renew-deadline': `${lease.deadlineMs}ms`,
    'leader-elect-retry-period': `${lease.retryMs}ms`,
    'leader-elect-resource-name': leaseName,
    'leader-elect-resource-namespace': world.namespace,
    ...more,
  };
  const operator = operatorProcess(
    Object.entries(settings).map(([name, value]) => `--${name}=${value}`),
    { MANAGED_DB_API_KEY: world.project.apiKey, SPEED: String(world.clock.speed) },
    program,
  );
  const said = (words: string) =>
    until(
      `a replica to say "${words}"`,
      () => operator.stdout().includes(words),
      () => [operator.stdout().slice(-3_000), operator.stderr()],
    );
  return {
    process: operator,
    kubernetes,
    cloud,
    health: `http://127.0.0.1:${port}`,
    cloudChanges: () => cloud.requests.filter(({ method }) => method !== 'GET'),
    async untilStandingBy() {
      await said('standing by');
    },
    async untilWorking() {
      await said('the operator works');
    },
    async [Symbol.asyncDispose]() {
      await operator[Symbol.asyncDispose]();
      await kubernetes[Symbol.asyncDispose]();
      await cloud[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** How often the lease has changed its holder, and the present holder; undefined: no holder. */
export async function leaseIn(
  world: World,
): Promise<{ readonly transitions: number; readonly holder: string | undefined }> {
  const found = await world.kubernetes.get(leases, resourceKey(world.namespace, leaseName));
  const { holderIdentity, leaseTransitions } = found?.spec ?? {};
  return {
    transitions: leaseTransitions ?? 0,
    holder: holderIdentity === '' ? undefined : (holderIdentity ?? undefined),
  };
}

/** Waits until the lease has gone on to another than `before`. @returns how long ago that was noticed after the call, in milliseconds */
export async function untilTaken(world: World, before: string): Promise<number> {
  const begunAt = performance.now();
  await until('another to take the lease', async () => {
    const { holder } = await leaseIn(world);
    return holder !== undefined && holder !== before;
  });
  return performance.now() - begunAt;
}
