import type { FastifyInstance } from 'fastify';
import * as z from 'zod';
import { ApiError } from './api-error.ts';
import { fault } from './faults.ts';
import { empty, settings, type Project } from './project.ts';
import { force, kinds } from './store.ts';

/** A VPC has no state. */
const withStates = z.enum(kinds).exclude(['vpc']);

export const adminHelp = `The admin surface of the simulator. All of it is for tests and needs no key.

GET    /_simulator/                                     this page
GET    /_simulator/projects                             projects with their API keys
POST   /_simulator/projects                             {id?, apiKey?, latencyMs?, ...}: another project
DELETE /_simulator/projects/:project                    everything in it, its counts and its faults go; the key stays
PATCH  /_simulator/projects/:project                    {latencyMs?, deleteLatencyMs?, listLagMs?, endpointAtOnce?, includeReplicaSets?}
GET    /_simulator/projects/:project/created            all resources ever created, also deleted resources
GET    /_simulator/projects/:project/calls              calls that arrived, changes that were carried out, by operation
POST   /_simulator/projects/:project/force              {kind: ${withStates.options.join('|')}, id, status, errorMessage?}
DELETE /_simulator/projects/:project/force/:kind/:id    takes something away behind everybody's back
POST   /_simulator/projects/:project/check-password     {serviceId, password} -> {matches}
GET    /_simulator/projects/:project/faults             the present faults
POST   /_simulator/projects/:project/faults             {kind, operation, times?, name?, ...}: see docs/simulator.md
DELETE /_simulator/projects/:project/faults             no more faults
`;

const addProjectBody = settings.extend({
  id: z.string().min(1).optional(),
  apiKey: z.string().min(1).optional(),
});
const forceBody = z.strictObject({
  kind: withStates,
  id: z.string().min(1),
  status: z.string().min(1),
  errorMessage: z.string().optional(),
});
const inPath = z.object({ project: z.string() });
const thing = inPath.extend({ kind: z.enum(kinds), id: z.string() });
const passwordBody = z.strictObject({ serviceId: z.string(), password: z.string() });

export type AddProject = z.infer<typeof addProjectBody>;

export function serveAdmin(
  server: FastifyInstance,
  projects: ReadonlyMap<string, Project>,
  add: (options: AddProject) => Project,
): void {
  const of = (params: unknown): Project => {
    const { project: id } = inPath.parse(params);
    const found = projects.get(id);
    if (!found) throw new ApiError(404, 'not_found', `project ${id} does not exist`);
    return found;
  };
  const root = '/_simulator/projects/:project';
  server.get('/_simulator', (_request, reply) => reply.type('text/plain').send(adminHelp));
  server.get('/_simulator/', (_request, reply) => reply.type('text/plain').send(adminHelp));
  server.get('/_simulator/projects', () =>
    [...projects.values()].map(({ id, apiKey, latencyMs, listLagMs }) => ({
      id,
      apiKey,
      latencyMs,
      listLagMs,
    })),
  );
  server.post('/_simulator/projects', (request, reply) => {
    const { id, apiKey } = add(addProjectBody.parse(request.body ?? {}));
    return reply.code(201).send({ id, apiKey });
  });
  server.delete(root, (request, reply) => {
    empty(of(request.params));
    return reply.code(204).send();
  });
  server.patch(root, (request, reply) => {
    Object.assign(of(request.params), settings.parse(request.body ?? {}));
    return reply.code(204).send();
  });
  server.get(`${root}/created`, (request) => of(request.params).everCreated);
  server.get(`${root}/calls`, (request) => {
    const { calls, commits } = of(request.params);
    return { calls: Object.fromEntries(calls), commits: Object.fromEntries(commits) };
  });
  server.post(`${root}/force`, (request, reply) => {
    force(of(request.params), forceBody.parse(request.body));
    return reply.code(204).send();
  });
  server.delete(`${root}/force/:kind/:id`, (request, reply) => {
    const { kind, id } = thing.parse(request.params);
    force(of(request.params), { kind, id, status: undefined });
    return reply.code(204).send();
  });
  server.post(`${root}/check-password`, (request) => {
    const { serviceId, password } = passwordBody.parse(request.body);
    return { matches: of(request.params).stores.service.get(serviceId)?.password === password };
  });
  server.get(`${root}/faults`, (request) => of(request.params).faults.list());
  server.post(`${root}/faults`, (request, reply) => {
    of(request.params).faults.add(fault.parse(request.body));
    return reply.code(204).send();
  });
  server.delete(`${root}/faults`, (request, reply) => {
    of(request.params).faults.clear();
    return reply.code(204).send();
  });
}
