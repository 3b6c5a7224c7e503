import { chapters, pathIds, type Operation } from '../wire/all.ts';
import type { Json, JsonObject } from './document-schema.ts';
import { introduction } from './introduction.ts';
import { documentRefusals, refusalOf, refusalRef, type RefusalStatus } from './refusals.ts';
import { documentSchemas, exampleOf, schemaRef } from './schemas.ts';

/** Generated from the schemas and operations of the client, so both always agree. */
export function openApiDocument(): JsonObject {
  return {
    openapi: '3.1.1',
    info: {
      title: 'Managed database cloud',
      version: '1',
      summary: 'VPCs, peerings, database services and read replica sets.',
      description: introduction,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'Where this document is served. Elsewhere: what `--cloud-url` says.' }],
    security: [{ apiKey: [] }],
    tags: chapters.map(({ tag }) => tag),
    paths: paths(),
    components: {
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', description: 'The API key of a project: visible ASCII characters without blanks.' },
      },
      parameters: Object.fromEntries(
        Object.entries(pathIds.shape).map(([name, { description = '' }]) => [
          name,
          { name, in: 'path', required: true, description, schema: { type: 'string', minLength: 1 } },
        ]),
      ),
      headers: {
        RetryAfter: {
          description: 'Seconds to wait, or an HTTP date. The operator waits an hour at most.',
          schema: { type: 'string' },
          example: '5',
        },
      },
      responses: documentRefusals(),
      schemas: documentSchemas(),
    },
  };
}

function paths(): JsonObject {
  const items: Record<string, Record<string, Json>> = {};
  for (const { tag, operations } of chapters) {
    for (const [id, row] of Object.entries(operations)) {
      const item = (items[row.path] ??= parametersOf(row.path));
      item[row.method.toLowerCase()] = operation(id, row, tag.name);
    }
  }
  return items;
}

function parametersOf(path: string): Record<string, Json> {
  const names = [...path.matchAll(/\{(\w+)\}/gu)].map(([, name = '']) => name);
  return names.length > 0 ? { parameters: names.map((name) => ({ $ref: `#/components/parameters/${name}` })) } : {};
}

function operation(operationId: string, { path, summary, description, request, success, conflict }: Operation, tag: string): JsonObject {
  return {
    operationId,
    summary,
    ...(description && { description }),
    tags: [tag],
    ...(request && { requestBody: { required: true, content: content(schemaRef(request)) } }),
    responses: {
      [success.status]: successOf(success),
      ...Object.fromEntries(refusalsOf(path, request !== undefined).map((status) => [status, refusalRef(status)])),
      ...(conflict && { 409: refusalOf(`${conflict} The operator looks again later.`, 'conflict', 'not in this state') }),
    },
  };
}

function successOf({ description, body, isList, example }: Operation['success']): JsonObject {
  if (!body) return { description };
  const schema = isList ? { type: 'array', items: schemaRef(body) } : schemaRef(body);
  return { description, content: content(schema, example && { ...exampleOf(body), ...example }) };
}

function content(schema: JsonObject, example?: Json): JsonObject {
  return { 'application/json': { schema, ...(example && { example }) } };
}

/** Derived from its path and body. Each operation describes its own 409. */
function refusalsOf(path: string, hasBody: boolean): readonly RefusalStatus[] {
  const isOfProject = path.startsWith('/projects/');
  const namesOne = path.replace('{project_id}', '').includes('{');
  return [
    ...(isOfProject ? ([400] as const) : []),
    401,
    ...(isOfProject ? ([403] as const) : []),
    ...(namesOne ? ([404] as const) : []),
    ...(hasBody ? ([413, 415] as const) : []),
    429,
    '5XX',
  ];
}
