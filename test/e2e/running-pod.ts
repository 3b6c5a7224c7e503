import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import type { ControlPlaneHandle } from '../control-plane/control-plane.ts';
import { freePort } from '../control-plane/free-port.ts';
import { kubeconfigFor, kubeconfigText } from '../control-plane/kubeconfig.ts';
import type { ApiServer } from '../integration/crds/api-server.ts';
import type { Image } from '../support/image.ts';
import type { Container, Pod } from './pod.ts';

/** A Pod whose containers run as processes of this machine. */
export interface RunningPod {
  readonly pod: Pod;
  readonly processes: readonly ChildProcess[];
  /** All that its containers have written. */
  readonly output: () => string;
  /** Asks the readiness probes. */
  isReady(): Promise<boolean>;
  /** SIGTERM, and SIGKILL when the time is up. */
  end(graceSeconds: number): Promise<void>;
}

/** That of Kubernetes: a process that hangs is not ready. */
const probeTimeoutMs = 1_000;

const tokenAnswer = z.object({ token: z.string() });
const secretAnswer = z.object({ data: z.record(z.string(), z.string()).default({}) });

/**
 * Starts the containers with their own arguments and variables. Substitutes replace the parts of a container that a
 * process lacks: a network (separate ports for probes and loopback), files (the folders of its volumes), and the API
 * server's address with the ServiceAccount's token.
 */
export async function startPod(
  pod: Pod,
  image: Image,
  folder: string,
  handle: ControlPlaneHandle,
  server: ApiServer,
): Promise<RunningPod> {
  const home = join(folder, pod.metadata.uid);
  await mkdir(home);
  const { namespace } = pod.metadata;
  const answer = await server.send(
    'POST',
    `/api/v1/namespaces/${namespace}/serviceaccounts/${pod.spec.serviceAccountName}/token`,
    {
      body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} },
    },
  );
  const { token } = tokenAnswer.parse(answer.body.status);
  const kubeconfig = join(home, 'kubeconfig');
  await writeFile(kubeconfig, kubeconfigText(kubeconfigFor(handle, { token, namespace })), {
    mode: 0o600,
  });
  const places = await mountSecrets(pod, home, server);
  const port = await freePort();
  const onLoopback = await loopbackOf(pod);
  const chunks: string[] = [];
  const start = (container: Container): ChildProcess => {
    const placed = (text: string) =>
      container.volumeMounts.reduce(
        (result, { name, mountPath }) =>
          result.replaceAll(mountPath, places.get(name) ?? mountPath),
        text,
      );
    const variables = container.env.map(
      ({ name, value, valueFrom }) =>
        [name, valueFrom ? pod.metadata.name : placed(value)] as const,
    );
    const expanded = (text: string) =>
      variables.reduce((result, [name, value]) => result.replaceAll(`$(${name})`, value), text);
    const network = container.readinessProbe ? [`--health-address=127.0.0.1:${port}`] : [];
    const [program = '', ...flags] = image.entrypoint;
    const child = spawn(
      program,
      [...flags, ...container.args.map(expanded).map(placed).map(onLoopback), ...network],
      {
        cwd: image.folder,
        env: {
          ...image.environment,
          ...Object.fromEntries(variables),
          KUBECONFIG: kubeconfig,
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => void chunks.push(text));
    return child;
  };
  const processes = [...pod.spec.initContainers, ...pod.spec.containers].map(start);
  const ends = processes.map((child) => once(child, 'close'));
  const paths = pod.spec.containers.flatMap(
    ({ readinessProbe }) => readinessProbe?.httpGet.path ?? [],
  );
  return {
    pod,
    processes,
    output: () => chunks.join(''),
    isReady: async () => {
      const replies = await Promise.all(
        paths.map((path) => probe(`http://127.0.0.1:${port}${path}`)),
      );
      return replies.every((reply) => reply?.ok === true);
    },
    async end(graceSeconds) {
      for (const child of processes) child.kill('SIGTERM');
      const overdue = setTimeout(
        () => processes.forEach((child) => child.kill('SIGKILL')),
        graceSeconds * 1_000,
      );
      await Promise.all(ends);
      clearTimeout(overdue);
      await rm(home, { recursive: true });
    },
  };
}

/**
 * Each Pod has a private loopback, but processes share a loopback.
 * @returns an argument, with another port for the simulator
 */
async function loopbackOf({ spec }: Pod): Promise<(argument: string) => string> {
  const [port] = spec.initContainers.flatMap(({ args }) =>
    args.flatMap((each) => /^--port=(\d+)$/u.exec(each)?.[1] ?? []),
  );
  if (port === undefined) return (argument) => argument;
  const free = await freePort();
  return (argument) =>
    argument.replace(
      new RegExp(`^(--port=|--cloud-url=http://127\\.0\\.0\\.1:)${port}$`, 'u'),
      `$1${free}`,
    );
}

/** @returns undefined if the server does not answer in time */
function probe(url: string): Promise<Response | undefined> {
  return fetch(url, { signal: AbortSignal.timeout(probeTimeoutMs) }).catch(() => undefined);
}

/** @returns the folder of each volume */
async function mountSecrets(
  pod: Pod,
  home: string,
  server: ApiServer,
): Promise<ReadonlyMap<string, string>> {
  const places = new Map<string, string>();
  for (const { name, secret } of pod.spec.volumes) {
    if (!secret) continue;
    const place = join(home, name);
    await mkdir(place);
    places.set(name, place);
    const { isAccepted, body } = await server.send(
      'GET',
      `/api/v1/namespaces/${pod.metadata.namespace}/secrets/${secret.secretName}`,
    );
    if (!isAccepted && !secret.optional)
      throw new Error(`the volume ${name} needs the Secret ${secret.secretName}`);
    const { data } = isAccepted ? secretAnswer.parse(body) : { data: {} };
    for (const [key, value] of Object.entries(data))
      await writeFile(join(place, key), Buffer.from(value, 'base64'), { mode: 0o600 });
  }
  return places;
}
