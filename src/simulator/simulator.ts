import { readFileSync } from 'node:fs';
import { fastify, type FastifyError, type FastifyReply, type FastifyRequest } from 'fastify';
import { type AddProject, serveAdmin } from './admin.ts';
import { ApiError, apiErrorOf } from './api-error.ts';
import type { Offers } from './offers.ts';
import { newSecret, newServiceId } from './names.ts';
import { project, type Project, type Settings } from './project.ts';
import { serveApi } from './serve-api.ts';
import { type Clock, scaledClock } from './timeline.ts';

/** The settings are those of projects that have no own. */
export interface SimulatorOptions extends Settings {
  readonly host?: string;
  /** 0 or absent: any free port. */
  readonly port?: number;
  /** Default: real time. */
  readonly clock?: Clock;
  /** Default: every region, size and address range. */
  readonly offers?: Offers;
}

/** The managed database cloud in memory: the whole API, with faults. */
export interface Simulator extends AsyncDisposable {
  /** Without a slash at the end. */
  readonly url: string;
  /** Adds a project with an API key. Each project has its own clock, latency and faults. */
  addProject(options?: AddProject & { readonly clock?: Clock }): Project;
  project(id: string): Project | undefined;
  close(): Promise<void>;
}

const longestBody = 64 * 1_024;

export async function startSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
  const { host = '127.0.0.1', port = 0, clock = scaledClock(1), ...usual } = options;
  const projects = new Map<string, Project>();
  const ofKey = (apiKey: string) => [...projects.values()].find((each) => each.apiKey === apiKey);
  const addProject: Simulator['addProject'] = (wanted = {}) => {
    const id = wanted.id ?? `prj${newServiceId().slice(0, 6)}`;
    const apiKey = wanted.apiKey ?? `sk-${newSecret()}`;
    if (projects.has(id)) throw new ApiError(409, 'conflict', `project ${id} exists`);
    if (ofKey(apiKey)) throw new ApiError(409, 'conflict', 'this API key opens another project');
    const made = project({ clock, ...usual, ...wanted, id, apiKey });
    projects.set(id, made);
    return made;
  };

  const server = fastify({
    bodyLimit: longestBody,
    forceCloseConnections: true,
    frameworkErrors: refuse,
  });
  server.removeContentTypeParser('text/plain');
  server.addContentTypeParser('*', { parseAs: 'string' }, (_request, _body, done) =>
    done(new ApiError(415, 'unsupported', 'bodies are application/json')),
  );
  server.setNotFoundHandler((request, reply) =>
    reply.code(404).send({
      code: 'not_found',
      message: `there is no ${request.method} ${request.url.slice(0, 200)}`,
    }),
  );
  server.setErrorHandler(refuse);
  serveApi(server, ofKey);
  server.get('/openapi.yaml', (_request, reply) =>
    reply.type('application/yaml; charset=utf-8').send(apiDocument()),
  );
  serveAdmin(server, projects, addProject);
  const url = await server.listen({ host, port });
  const close = () => server.close();
  return {
    url,
    addProject,
    project: (id) => projects.get(id),
    close,
    [Symbol.asyncDispose]: close,
  };
}

function refuse(error: FastifyError | Error, _request: FastifyRequest, reply: FastifyReply): void {
  const { status, code, message, headers } = apiErrorOf(error);
  void reply.code(status).headers(headers).send({ code, message });
}

// Defined by scripts/build.ts.
declare const BUILT_API_DOCUMENT: string | undefined;

function apiDocument(): string {
  if (typeof BUILT_API_DOCUMENT === 'string') return BUILT_API_DOCUMENT;
  return readFileSync(new URL('../../docs/reference/openapi.yaml', import.meta.url), 'utf8');
}
