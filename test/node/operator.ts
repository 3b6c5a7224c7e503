import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { root } from './cache.ts';
import { apply, kubectl } from './cluster.ts';
import { operatorImage } from './images.ts';

/** The name of the installation and of its Deployment. */
export const operator = 'managed-db-operator';
/** The namespace of the installation. */
export const home = 'managed-db-system';

const inHome = ['-n', home];
const selector = `app.kubernetes.io/name=${operator}`;

const pods = z.object({
  items: z.array(
    z.object({
      metadata: z.object({
        name: z.string(),
        uid: z.string(),
        deletionTimestamp: z.string().optional(),
      }),
      status: z.object({
        conditions: z.array(z.object({ type: z.string(), status: z.string() })).default([]),
        containerStatuses: z.array(z.object({ restartCount: z.number() })).default([]),
      }),
    }),
  ),
});

/** A Pod of the operator. */
export interface OperatorPod {
  readonly name: string;
  readonly uid: string;
  /** Ready, and not about to end. */
  readonly serves: boolean;
  readonly restarts: number;
}

/** The operator's Pods, also those that are about to end. */
export async function operatorPods(): Promise<readonly OperatorPod[]> {
  const text = await kubectl('get', 'pods', ...inHome, '-l', selector, '-o', 'json');
  return pods.parse(JSON.parse(text)).items.map(({ metadata, status }) => ({
    name: metadata.name,
    uid: metadata.uid,
    serves:
      metadata.deletionTimestamp === undefined &&
      status.conditions.some(({ type, status: is }) => type === 'Ready' && is === 'True'),
    restarts: status.containerStatuses.reduce((sum, { restartCount }) => sum + restartCount, 0),
  }));
}

/** How many Pods serve. */
export async function serving(): Promise<number> {
  return (await operatorPods()).filter(({ serves }) => serves).length;
}

/** The holder of the Lease: the name of its Pod, and an id of its process. Empty if nobody holds it. */
export async function holder(): Promise<string> {
  return kubectl('get', 'lease', operator, ...inHome, '-o', 'jsonpath={.spec.holderIdentity}');
}

/** The Pod that holds the Lease. */
export async function leader(): Promise<OperatorPod> {
  const [name] = (await holder()).split('_');
  const pod = (await operatorPods()).find((each) => each.name === name);
  if (pod === undefined) throw new Error(`the holder of the Lease is no Pod: ${name}`);
  return pod;
}

/** The process of the operator in a Pod, as seen from the node. */
export async function processOf({ uid }: OperatorPod): Promise<number> {
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/u.test(name))) {
    const [groups, command] = await Promise.all(
      ['cgroup', 'cmdline'].map(async (file) =>
        readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => ''),
      ),
    );
    if (groups?.includes(uid) && command?.includes('dist/main.js')) return Number(pid);
  }
  throw new Error(`no process of the Pod ${uid}`);
}

/** Runs a program of JavaScript in a container, and returns its output. */
export async function evaluate(place: readonly string[], program: string): Promise<string> {
  return kubectl('exec', ...place, '--', 'node', '--input-type=module', '-e', program);
}

/** The names of all databases of the cloud. */
export async function databases(): Promise<readonly string[]> {
  const text = await evaluate(
    ['-n', 'cloud', 'deploy/cloud', '-c', 'tls'],
    `const headers = { authorization: 'Bearer key-of-the-cloud' };
     const answer = await fetch('http://127.0.0.1:8090/projects/prj1/services', { headers });
     console.log(await answer.text());`,
  );
  return [...text.matchAll(/"name":"([^"]+)"/gu)].map(([, name = '']) => name);
}

/** Applies a file of test/node/manifests. */
export async function applyFile(name: string): Promise<void> {
  const text = await readFile(join(root, 'test/node/manifests', name), 'utf8');
  await apply(text.replaceAll('IMAGE', operatorImage));
}
