import { setTimeout as pause } from 'node:timers/promises';
import * as z from 'zod';
import type { ControlPlaneHandle } from '../control-plane/control-plane.ts';
import { apiServer } from '../integration/crds/api-server.ts';
import type { Image } from '../support/image.ts';
import { podSchema, type Pod } from './pod.ts';
import { startPod, type RunningPod } from './running-pod.ts';

/** Runs Pods as a kubelet does, but with a single image and without isolation. */
export interface Kubelet extends AsyncDisposable {
  /** The Pods that it runs, in the order in which it started them. */
  readonly pods: () => readonly RunningPod[];
  /** The unexpected exits of containers. */
  readonly crashes: readonly string[];
}

const list = z.object({ items: z.array(podSchema) });
const betweenLooksMs = 150;

const pathOf = ({ metadata }: Pod) =>
  `/api/v1/namespaces/${metadata.namespace}/pods/${metadata.name}`;

export function startKubelet(handle: ControlPlaneHandle, image: Image, folder: string): Kubelet {
  const server = apiServer(handle);
  const running = new Map<string, RunningPod>();
  const ready = new Map<string, boolean>();
  const ending = new Map<string, Promise<void>>();
  const crashes: string[] = [];
  const stopping = new AbortController();

  const bind = (pod: Pod) => {
    const { name, namespace } = pod.metadata;
    const body = {
      apiVersion: 'v1',
      kind: 'Binding',
      metadata: { name, namespace },
      target: { apiVersion: 'v1', kind: 'Node', name: 'node' },
    };
    return server.send('POST', `${pathOf(pod)}/binding`, { body });
  };
  const report = async (pod: Pod, isReady: boolean) => {
    const conditions = ['Ready', 'ContainersReady', 'Initialized', 'PodScheduled'].map((type) => ({
      type,
      status: isReady || !type.endsWith('Ready') ? 'True' : 'False',
      lastTransitionTime: new Date().toISOString(),
    }));
    const body = { status: { phase: 'Running', podIP: '127.0.0.1', conditions } };
    const { isAccepted } = await server.send('PATCH', `${pathOf(pod)}/status`, {
      body,
      contentType: 'application/merge-patch+json',
    });
    if (isAccepted) ready.set(pod.metadata.uid, isReady);
  };
  const end = async (pod: Pod) => {
    await running.get(pod.metadata.uid)?.end(pod.spec.terminationGracePeriodSeconds);
    running.delete(pod.metadata.uid);
    await server.send('DELETE', `${pathOf(pod)}?gracePeriodSeconds=0`);
    ending.delete(pod.metadata.uid);
  };
  const start = async (pod: Pod) => {
    const { uid, name } = pod.metadata;
    const started = await startPod(pod, image, folder, handle, server);
    running.set(uid, started);
    for (const child of started.processes)
      child.once('exit', (code, signal) => {
        if (!ending.has(uid) && !stopping.signal.aborted)
          crashes.push(
            `${name} ended by itself (${code ?? signal}): ${started.output().slice(-2_000)}`,
          );
      });
  };
  const lookAt = async (pod: Pod): Promise<void> => {
    const { uid } = pod.metadata;
    if (pod.metadata.deletionTimestamp !== undefined) {
      if (!ending.has(uid)) ending.set(uid, end(pod));
    } else if (pod.spec.nodeName === undefined) await bind(pod);
    else if (!running.has(uid)) await start(pod);
    else {
      const isReady = (await running.get(uid)?.isReady()) ?? false;
      if (ready.get(uid) !== isReady) await report(pod, isReady);
    }
  };

  const loop = async () => {
    while (!stopping.signal.aborted) {
      const { isAccepted, body } = await server.send('GET', '/api/v1/pods');
      if (isAccepted) await Promise.all(list.parse(body).items.map(lookAt));
      await pause(betweenLooksMs);
    }
  };
  const looping = loop();
  looping.catch((error: unknown) => crashes.push(`the kubelet ended: ${String(error)}`));
  return {
    pods: () => [...running.values()],
    crashes,
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await looping.catch(() => undefined);
      await Promise.all([...running.values()].map((each) => each.end(5)));
    },
  };
}
