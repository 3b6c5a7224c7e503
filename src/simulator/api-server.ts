import { setTimeout as pause } from 'node:timers/promises';
import * as z from 'zod';
import {
  isOperation,
  type Operation,
  operations,
  pathIds,
  type projectOperations,
} from '../cloud/wire/all.ts';
import { methodOf } from '../cloud/wire/operation.ts';
import { ApiError, apiErrorOf, notFound } from './api-error.ts';
import type { Fault } from './faults.ts';
import type { Handler, Incoming } from './handler.ts';
import type { Project } from './project.ts';
import { replicaSetHandlers } from './replica-sets.ts';
import { serviceHandlers } from './services.ts';
import { vpcHandlers } from './vpcs.ts';

/** The ids in a path; empty for those that it lacks. */
const ids = z.record(pathIds.keyof(), z.string().default(''));

/** A request for a route, without its transport. */
export interface ApiRequest {
  /** The value of the header. */
  readonly authorization: string | undefined;
  /** The ids in the path, by name. */
  readonly params: unknown;
  /** The parsed body. */
  readonly body: unknown;
}

/** A reply without its transport. `dropped`: the connection breaks instead. */
export type ApiReply =
  | {
      readonly type: 'reply';
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      /** Text if `headers` have a content type, otherwise a value to send as JSON. Undefined: no body. */
      readonly body: unknown;
    }
  | { readonly type: 'dropped' };

/**
 * Answers a request, with the faults of its project. Returns when the reply is due: a fault may delay it. Never throws.
 * @param projectOfKey finds the project of an API key
 */
export async function answer(
  route: Route,
  request: ApiRequest,
  projectOfKey: (apiKey: string) => Project | undefined,
): Promise<ApiReply> {
  const headers: Record<string, string> = {};
  try {
    const owner = authenticate(request.authorization, projectOfKey);
    const inPath = ids.parse(request.params);
    if (route !== keyRoute && inPath.project_id !== owner.id)
      throw new ApiError(403, 'forbidden', 'the API key belongs to another project');
    count(owner.calls, route.operation);
    headers['date'] = new Date(owner.clock.now()).toUTCString();
    const fault = owner.faults.take(route.operation, nameIn(request.body));
    if (fault) headers['x-simulator-fault'] = fault.kind;
    const reply = await carriedOut(route, owner, { inPath, body: request.body, fault });
    return reply.type === 'dropped'
      ? reply
      : { ...reply, headers: { ...headers, ...reply.headers } };
  } catch (error) {
    const { status, code, message, headers: more } = apiErrorOf(error);
    return { type: 'reply', status, headers: { ...headers, ...more }, body: { code, message } };
  }
}

function authenticate(
  authorization: string | undefined,
  projectOfKey: (apiKey: string) => Project | undefined,
): Project {
  const [, key] = /^Bearer (.+)$/u.exec(authorization ?? '') ?? [];
  const owner = key === undefined ? undefined : projectOfKey(key);
  if (!owner)
    throw new ApiError(
      401,
      'unauthorized',
      key === undefined
        ? 'the header Authorization: Bearer <API key> is missing'
        : 'the API key is not valid',
    );
  return owner;
}

interface Asked {
  readonly inPath: Incoming<unknown>['ids'];
  readonly body: unknown;
  readonly fault: Fault | undefined;
}

async function carriedOut(
  route: Route,
  project: Project,
  { inPath, body, fault }: Asked,
): Promise<ApiReply> {
  await before(fault);
  if (fault?.kind === 'dropBefore') return { type: 'dropped' };
  if (fault?.kind === 'ignored') return replied(route.status, undefined);
  const listTime =
    project.clock.now() - (fault?.kind === 'staleList' ? fault.ageMs : project.listLagMs);
  const young =
    fault?.kind === 'notYet' && (route.method === 'GET' || route.method === 'DELETE')
      ? youngerThan(project, fault.ageMs)
      : none;
  const unknown = Object.values(inPath).find((id) => young.has(id));
  if (unknown !== undefined) throw notFound('resource', unknown);
  const result = without(young, route.handle({ project, ids: inPath, body, listTime }));
  if (route.method !== 'GET') count(project.commits, route.operation);
  if (fault?.kind === 'delayReply') await hold(fault.delayMs);
  return after(fault, route, result);
}

function replied(
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): ApiReply {
  return { type: 'reply', status, headers, body };
}

const none: ReadonlySet<string> = new Set();

function youngerThan({ everCreated, clock }: Project, ageMs: number): ReadonlySet<string> {
  return new Set(
    everCreated
      .filter(({ createdAt }) => clock.now() - Date.parse(createdAt) < ageMs)
      .map(({ id }) => id),
  );
}

/** A list without these resources, which are not in other resources either. */
function without(young: ReadonlySet<string>, result: unknown): unknown {
  if (young.size === 0 || !Array.isArray(result)) return result;
  const listed = z
    .array(z.looseObject({ id: z.string().optional(), service_id: z.string().optional() }))
    .parse(result);
  return listed
    .filter(({ id, service_id: ofService }) => !young.has(id ?? ofService ?? ''))
    .map(({ read_replica_sets: sets, ...each }) =>
      sets === undefined ? each : { ...each, read_replica_sets: without(young, sets) },
    );
}

async function before(fault: Fault | undefined): Promise<void> {
  if (fault?.kind === 'errorBefore') throw faultError(fault);
  if (fault?.kind === 'rateLimit')
    throw new ApiError(429, 'rate_limited', 'too many requests', {
      'retry-after': String(fault.retryAfterSeconds),
    });
  if (fault?.kind === 'delay') await hold(fault.delayMs);
}

function after(fault: Fault | undefined, { status }: Route, result: unknown): ApiReply {
  if (fault?.kind === 'errorAfter') throw faultError(fault);
  if (fault?.kind === 'replyLost') return { type: 'dropped' };
  if (fault?.kind === 'malformed') return malformed(fault.as, status, result);
  if (fault?.kind === 'truncatedList' && Array.isArray(result))
    return replied(status, result.slice(0, -fault.drop));
  return replied(status, result);
}

/** Waits even without the caller. Does not keep an ending simulator alive. */
async function hold(delayMs: number): Promise<void> {
  await pause(delayMs, undefined, { ref: false });
}

function malformed(
  as: Extract<Fault, { kind: 'malformed' }>['as'],
  status: number,
  result: unknown,
): ApiReply {
  switch (as) {
    case 'html':
      return replied(status, '<html><body>gateway</body></html>', { 'content-type': 'text/html' });
    case 'notJson':
      return replied(status, '{"service_id": ', { 'content-type': 'application/json' });
    case 'wrongType':
      return replied(status, Array.isArray(result) ? { items: result } : { service_id: 7, id: 7 });
    case 'unknownField':
      return replied(status, withUnknownField(result));
    case 'empty':
      return replied(status, undefined);
    case 'redirect':
      return replied(302, undefined, { location: '/elsewhere' });
  }
}

function withUnknownField(result: unknown): unknown {
  if (Array.isArray(result)) return result.map(withUnknownField);
  return typeof result === 'object' && result !== null
    ? { ...result, launched_by: 'a field that no document describes' }
    : result;
}

function faultError(fault: Extract<Fault, { kind: 'errorBefore' | 'errorAfter' }>): ApiError {
  const body = z.object({ code: z.string(), message: z.string() }).partial().safeParse(fault.body);
  return new ApiError(
    fault.status,
    body.data?.code ?? 'fault',
    body.data?.message ?? 'a fault that was asked for',
  );
}

function credentialsInfo({ id }: Project) {
  return {
    type: 'apiKey',
    apiKey: {
      created: '2026-01-01T00:00:00Z',
      issuing_user: { id: 'usr1', email: 'team@example.com', name: 'Team' },
      name: 'simulator',
      project: { id, name: `Project ${id}`, plan_type: 'standard' },
      public_key: `pk-${id}`,
    },
  };
}

function count(counts: Map<string, number>, operation: string): void {
  counts.set(operation, (counts.get(operation) ?? 0) + 1);
}

const named = z.object({ name: z.string() });

function nameIn(body: unknown): string | undefined {
  return named.safeParse(body).data?.name;
}

/** `/auth/info` is not among them. */
const handlers: Readonly<Record<keyof typeof projectOperations, Handler>> = {
  ...vpcHandlers,
  ...serviceHandlers,
  ...replicaSetHandlers,
};

export interface Route {
  readonly operation: string;
  readonly method: (typeof methodOf)[Operation['effect']];
  /** Below /projects/:project_id. */
  readonly path: string;
  /** HTTP status of a success. */
  readonly status: number;
  /** @returns the body of the reply; undefined for none @throws {ApiError} @throws {z.ZodError} for an invalid body */
  readonly handle: Handler;
}

export const routes: readonly Route[] = Object.entries(handlers).flatMap(([operation, handle]) =>
  isOperation(operation) ? [routeOf(operation, operations[operation], handle)] : [],
);

function routeOf(
  operation: string,
  { effect, path, success: { status, body } }: Operation,
  handle: Handler,
): Route {
  const below = path.replace('/projects/{project_id}', '').replaceAll(/\{(\w+)\}/gu, ':$1');
  return {
    operation,
    method: methodOf[effect],
    path: below,
    status,
    handle(incoming) {
      const resource = handle(incoming);
      return body === 'Message' ? { message: 'done' } : body && resource;
    },
  };
}

/** The route `/auth/info`, which is not below a project. */
export const keyRoute: Route = {
  operation: 'getCredentialsInfo',
  method: 'GET',
  path: '/auth/info',
  status: 200,
  handle: ({ project }) => credentialsInfo(project),
};
