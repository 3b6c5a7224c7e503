import { randomBytes } from 'node:crypto';
import { request, Agent } from 'undici';
import { fileURLToPath } from 'node:url';
import { startControlPlane, type ControlPlaneHandle } from '../control-plane/control-plane.ts';
import { install } from '../control-plane/install.ts';
import { serviceAccountToken } from '../control-plane/kubectl.ts';
import { countsBy, samplesOf, type Counts } from './counts.ts';
import { processWith } from './proc.ts';

/** A real control plane with our definitions, rights and policies, and its reports about its own work. */
export interface Cluster extends AsyncDisposable {
  readonly handle: ControlPlaneHandle;
  /** Process id of the API server. */
  readonly apiServer: number;
  /** Of the operator's ServiceAccount. */
  readonly operatorToken: string;
  /** As admin. @returns the body @throws {Error} with the words of the API server, where it refuses */
  send(method: Method, path: string, body?: object, contentType?: string): Promise<string>;
  /** A stream that goes on until the signal aborts. */
  stream(path: string, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>>;
  newNamespace(): Promise<string>;
  /** All requests that the API server has counted so far: `PATCH managedservices/status`. Those that it makes to itself are left out. */
  requests(): Promise<Counts>;
}

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** The operator's kinds; the API server itself requests other kinds all the time. */
const resources: ReadonlySet<string> = new Set([
  'managedservices',
  'managedvpcs',
  'readreplicasets',
  'secrets',
  'events',
  'namespaces',
  'customresourcedefinitions',
]);

export async function startCluster(): Promise<Cluster> {
  const plane = await startControlPlane({
    crds: fileURLToPath(new URL('../../crds', import.meta.url)),
    helm: false,
    heapGrowth: 100,
  });
  const { handle } = plane;
  try {
    await install(handle);
    return await running(handle, () => plane.stop());
  } catch (error) {
    await plane.stop();
    throw error;
  }
}

async function running(handle: ControlPlaneHandle, stop: () => Promise<void>): Promise<Cluster> {
  const dispatcher = new Agent({
    allowH2: false,
    connect: { ca: Buffer.from(handle.caData, 'base64') },
    bodyTimeout: 0,
  });
  const authorization = `Bearer ${handle.adminToken}`;
  const send: Cluster['send'] = async (method, path, body, contentType = 'application/json') => {
    const reply = await request(new URL(path, handle.server), {
      dispatcher,
      method,
      headers: { authorization, 'content-type': contentType },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await reply.body.text();
    if (reply.statusCode >= 300) throw new Error(`${method} ${path}: ${reply.statusCode} ${text}`);
    return text;
  };
  return {
    handle,
    apiServer: await processWith(`--secure-port=${new URL(handle.server).port}`),
    operatorToken: await serviceAccountToken(handle, 'managed-db-system', 'managed-db-operator'),
    send,
    async stream(path, signal) {
      const reply = await request(new URL(path, handle.server), {
        dispatcher,
        headers: { authorization },
        signal,
      });
      return reply.body;
    },
    async newNamespace() {
      const name = `b-${randomBytes(4).toString('hex')}`;
      await send('POST', '/api/v1/namespaces', {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name },
      });
      return name;
    },
    async requests() {
      const samples = samplesOf(await send('GET', '/metrics'), 'apiserver_request_total');
      return countsBy(samples, ({ verb = '', resource = '', subresource = '' }) =>
        resources.has(resource)
          ? `${verb} ${resource}${subresource === '' ? '' : `/${subresource}`}`
          : undefined,
      );
    },
    async [Symbol.asyncDispose]() {
      await dispatcher.destroy();
      await stop();
    },
  };
}
