import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { answer, type ApiReply, keyRoute, type Route, routes } from './api-server.ts';
import type { Project } from './project.ts';

/** @param projectOfKey finds the project of an API key */
export function serveApi(
  server: FastifyInstance,
  projectOfKey: (apiKey: string) => Project | undefined,
): void {
  const serve = ({ method, path: url }: Pick<Route, 'method' | 'path'>, route: Route) =>
    server.route({
      method,
      url,
      async handler({ headers, params, body }: FastifyRequest, reply) {
        const { authorization } = headers;
        return send(await answer(route, { authorization, params, body }, projectOfKey), reply);
      },
    });
  serve(keyRoute, keyRoute);
  for (const route of routes)
    serve({ ...route, path: `/projects/:project_id${route.path}` }, route);
}

function send(answered: ApiReply, reply: FastifyReply): FastifyReply {
  if (answered.type === 'dropped') {
    reply.raw.destroy();
    return reply.hijack();
  }
  return reply.code(answered.status).headers(answered.headers).send(answered.body);
}
