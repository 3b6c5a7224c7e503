import * as z from 'zod';
import type { Project } from '../../../src/simulator/project.ts';
import {
  type Simulator,
  type SimulatorOptions,
  startSimulator,
} from '../../../src/simulator/simulator.ts';
import type { Clock } from '../../../src/simulator/timeline.ts';
import { allOperations, type OperationCase } from '../cloud/operations.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The text as JSON; undefined when it is none. */
  readonly body: unknown;
}

/** A simulator with a single project, as seen over HTTP, and a clock that the test advances. */
export interface InProcessCloud extends AsyncDisposable {
  readonly simulator: Simulator;
  readonly project: Project;
  readonly clock: Clock;
  advance(ms: number): void;
  /** A call with the project's key. @param path below the project */
  call(method: string, path: string, body?: unknown): Promise<Answer>;
  /** A call to the admin surface of the project. */
  admin(method: string, path: string, body?: unknown): Promise<Answer>;
  /** A service in a state, made a moment ago. @returns its id */
  serviceIn(status: string): Promise<string>;
  vpc(): Promise<string>;
  /** Puts something into a state, past the API. */
  force(kind: 'service' | 'replicaSet' | 'peering', id: string, status: string): Promise<void>;
}

export const latencyMs = 1_000;
export const newService = { name: 'orders', cpu_millis: '1000', memory_gbs: '4' };
export const newVpc = { cidr: '10.0.0.0/16', name: 'net', region_code: 'eu-central-1' };
export const newPeering = {
  peer_account_id: '123456789012',
  peer_region_code: 'eu-central-1',
  peer_vpc_id: 'vpc-0a1b',
};
export const newReplicaSet = { name: 'reads', nodes: 2, cpu_millis: 500, memory_gbs: 2 };

/** The body of an operation, as its case has it; undefined for none. */
export function bodyOf(operation: string): OperationCase['body'] {
  return new Map<string, OperationCase>(allOperations).get(operation)?.body;
}

/** A body that every operation accepts, except the creation of a replica set. */
export const fitsAll = allOperations
  .filter(([operation]) => operation !== 'createReplicaSet')
  .reduce<Readonly<Record<string, unknown>>>((all, [, { body }]) => ({ ...all, ...body }), {});

export async function inProcessCloud(
  options: Pick<SimulatorOptions, 'includeReplicaSets' | 'endpointAtOnce' | 'deleteLatencyMs'> = {},
): Promise<InProcessCloud> {
  let nowMs = Date.parse('2026-03-01T12:00:00Z');
  const clock = { now: () => nowMs };
  const simulator = await startSimulator({ clock, latencyMs, ...options });
  const project = simulator.addProject({ id: 'prj1', apiKey: 'key-1' });
  const call: InProcessCloud['call'] = (method, path, body) =>
    request(method, `${simulator.url}/projects/prj1${path}`, { body, apiKey: 'key-1' });
  const admin: InProcessCloud['admin'] = (method, path, body) =>
    request(method, `${simulator.url}/_simulator/projects/prj1${path}`, { body });
  const force: InProcessCloud['force'] = async (kind, id, status) => {
    const { status: code } = await admin('POST', '/force', { kind, id, status });
    if (code !== 204) throw new Error(`force answered ${code}`);
  };
  return {
    simulator,
    project,
    clock,
    advance(ms) {
      nowMs += ms;
    },
    call,
    admin,
    force,
    async serviceIn(status) {
      const id = idOf(await call('POST', '/services', newService));
      await force('service', id, status);
      return id;
    },
    vpc: async () => idOf(await call('POST', '/vpcs', newVpc)),
    [Symbol.asyncDispose]: () => simulator.close(),
  };
}

/** @param options `body` is sent as JSON; `raw` as it is, with its content type */
export async function request(
  method: string,
  url: string,
  options: {
    readonly body?: unknown;
    readonly raw?: { readonly text: string; readonly type: string | undefined };
    readonly apiKey?: string;
    readonly signal?: AbortSignal;
  } = {},
): Promise<Answer> {
  const { body, raw, apiKey, signal } = options;
  const headers = new Headers();
  if (apiKey !== undefined) headers.set('authorization', `Bearer ${apiKey}`);
  const type = raw ? raw.type : 'application/json';
  const text = raw ? raw.text : JSON.stringify(body);
  if (text !== undefined && type !== undefined) headers.set('content-type', type);
  // as bytes: fetch adds a content type to a text
  const payload = text === undefined ? {} : { body: new TextEncoder().encode(text) };
  const reply = await fetch(url, {
    method,
    headers,
    redirect: 'manual',
    ...payload,
    ...(signal ? { signal } : {}),
  });
  const seen = await reply.text();
  return { status: reply.status, headers: reply.headers, text: seen, body: jsonOf(seen) };
}

const withId = z.union([
  z.object({ service_id: z.string() }).transform((service) => service.service_id),
  z.object({ id: z.string() }).transform(({ id }) => id),
]);

export function idOf({ body }: Answer): string {
  return withId.parse(body);
}

export function statusOf({ status, body }: Answer): string | undefined {
  return status === 404 ? 'gone' : z.object({ status: z.string() }).parse(body).status;
}

export function itemsOf({ body }: Answer): readonly Readonly<Record<string, unknown>>[] {
  return z.array(z.record(z.string(), z.unknown())).parse(body);
}

/** The reply to a refused request has these two fields, and no other. */
export function refusalOf({ body }: Answer): { readonly code: string; readonly message: string } {
  return z.strictObject({ code: z.string().min(1), message: z.string().min(1) }).parse(body);
}

function jsonOf(text: string): unknown {
  try {
    const parsed: unknown = JSON.parse(text);
    return parsed;
  } catch {
    return undefined; // the tests of malformed answers look at the text
  }
}
