import { setTimeout as pause } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import * as z from 'zod';
import {
  isOperation,
  type Operation,
  operations,
  pathIds,
  type projectOperations,
} from '../cloud/wire/all.ts';
import { methodOf } from '../cloud/wire/operation.ts';
import { ApiError, notFound } from './api-error.ts';
import type { Fault } from './faults.ts';
import type { Handler } from './handler.ts';
import type { Project } from './project.ts';
import { replicaSetHandlers } from './replica-sets.ts';
import { serviceHandlers } from './services.ts';
import { vpcHandlers } from './vpcs.ts';

/** The ids in a path; empty for those that it lacks. */
const ids = z.record(pathIds.keyof(), z.string().default(''));

/** @param projectOfKey finds the project of an API key */
export function serveApi(
  server: FastifyInstance,
  projectOfKey: (apiKey: string) => Project | undefined,
): void {
  const authenticate = (request: FastifyRequest): Project => {
    const [, key] = /^Bearer (.+)$/u.exec(request.headers.authorization ?? '') ?? [];
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
  };
  server.get('/auth/info', (request, reply) => {
    const owner = authenticate(request);
    const info: Route = {
      operation: 'getCredentialsInfo',
      method: 'GET',
      path: '',
      status: 200,
      handle: () => credentialsInfo(owner),
    };
    return answer(info, owner, request, reply);
  });
  for (const route of routes) {
    server.route({
      method: route.method,
      url: `/projects/:project_id${route.path}`,
      handler(request, reply) {
        const owner = authenticate(request);
        if (ids.parse(request.params).project_id !== owner.id)
          throw new ApiError(403, 'forbidden', 'the API key belongs to another project');
        return answer(route, owner, request, reply);
      },
    });
  }
}

async function answer(
  route: Route,
  project: Project,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  count(project.calls, route.operation);
  void reply.header('date', new Date(project.clock.now()).toUTCString());
  const fault = project.faults.take(route.operation, nameIn(request.body));
  if (fault) void reply.header('x-simulator-fault', fault.kind);
  await before(fault);
  if (fault?.kind === 'dropBefore') return drop(reply);
  if (fault?.kind === 'ignored') return reply.code(route.status).send();
  const listTime =
    project.clock.now() - (fault?.kind === 'staleList' ? fault.ageMs : project.listLagMs);
  const inPath = ids.parse(request.params);
  const young =
    fault?.kind === 'notYet' && (route.method === 'GET' || route.method === 'DELETE')
      ? youngerThan(project, fault.ageMs)
      : none;
  const unknown = Object.values(inPath).find((id) => young.has(id));
  if (unknown !== undefined) throw notFound('resource', unknown);
  const result = without(
    young,
    route.handle({ project, ids: inPath, body: request.body, listTime }),
  );
  if (route.method !== 'GET') count(project.commits, route.operation);
  if (fault?.kind === 'delayReply') await hold(fault.delayMs);
  return after(fault, route, result, reply);
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

function after(
  fault: Fault | undefined,
  { status }: Route,
  result: unknown,
  reply: FastifyReply,
): unknown {
  if (fault?.kind === 'errorAfter') throw faultError(fault);
  if (fault?.kind === 'replyLost') return drop(reply);
  if (fault?.kind === 'malformed') return malformed(fault.as, status, result, reply);
  if (fault?.kind === 'truncatedList' && Array.isArray(result))
    return reply.code(status).send(result.slice(0, -fault.drop));
  return reply.code(status).send(result);
}

function drop(reply: FastifyReply): FastifyReply {
  reply.raw.destroy();
  return reply.hijack();
}

/** Waits even without the caller. Does not keep an ending simulator alive. */
async function hold(delayMs: number): Promise<void> {
  await pause(delayMs, undefined, { ref: false });
}

function malformed(
  as: Extract<Fault, { kind: 'malformed' }>['as'],
  status: number,
  result: unknown,
  reply: FastifyReply,
): unknown {
  switch (as) {
    case 'html':
      return reply.code(status).type('text/html').send('<html><body>gateway</body></html>');
    case 'notJson':
      return reply.code(status).type('application/json').send('{"service_id": ');
    case 'wrongType':
      return reply
        .code(status)
        .send(Array.isArray(result) ? { items: result } : { service_id: 7, id: 7 });
    case 'unknownField':
      return reply.code(status).send(withUnknownField(result));
    case 'empty':
      return reply.code(status).send();
    case 'redirect':
      return reply.code(302).header('location', '/elsewhere').send();
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

function nameIn(body: unknown): string | undefined {
  return z.object({ name: z.string() }).safeParse(body).data?.name;
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
