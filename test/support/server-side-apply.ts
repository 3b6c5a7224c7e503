import { request } from 'undici';
import * as z from 'zod';
import type { Connection } from '../../src/runtime/connection.ts';
import { pathOf } from '../../src/runtime/kubernetes-object.ts';

const plurals: Readonly<Record<string, string>> = {
  ManagedVpc: 'managedvpcs',
  ManagedService: 'managedservices',
  ReplicaSet: 'readreplicasets',
  Secret: 'secrets',
};
const manifestShape = z.object({ apiVersion: z.string(), kind: z.string(), metadata: z.object({ name: z.string() }) });
const refusal = z.object({ message: z.string() });

/** What `kubectl apply --server-side --force-conflicts` does, without a process for each. @throws {Error} with the words of the API server */
export async function serverSideApply(link: Connection, namespace: string, manifest: object): Promise<void> {
  const { apiVersion, kind, metadata } = manifestShape.parse(manifest);
  const plural = plurals[kind];
  if (plural === undefined) throw new Error(`no test has applied a ${kind} before: say what its plural is`);
  const [group = '', version = ''] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion];
  const { dispatcher, headers } = await link.calls();
  const reply = await request(new URL(pathOf({ group, version, plural }, namespace, metadata.name), link.server), {
    dispatcher,
    method: 'PATCH',
    query: { fieldManager: 'person', force: true },
    headers: { ...headers, 'content-type': 'application/apply-patch+yaml' },
    body: JSON.stringify(manifest),
  });
  const body = await reply.body.json();
  if (reply.statusCode >= 300) throw new Error(refusal.parse(body).message);
}
