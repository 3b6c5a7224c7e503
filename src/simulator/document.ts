import type { FastifyInstance } from 'fastify';
import { openApiDocument } from '../cloud/document/openapi-document.ts';
import { openApiYaml } from '../cloud/document/openapi-yaml.ts';

/** Needs no key. The document is generated at the first request. */
export function serveDocument(server: FastifyInstance): void {
  let yaml: string | undefined;
  let json: object | undefined;
  server.get('/openapi.yaml', (_request, reply) => reply.type('application/yaml; charset=utf-8').send((yaml ??= openApiYaml())));
  server.get('/openapi.json', (_request, reply) => reply.send((json ??= openApiDocument())));
}
