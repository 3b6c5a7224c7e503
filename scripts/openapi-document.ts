import { stringify } from 'yaml';
import * as z from 'zod';
import {
  chapters,
  type Operation,
  pathIds,
  type SchemaName,
  wireSchemas,
} from '../src/cloud/wire/all.ts';
import { expectedMark } from '../src/cloud/wire/field.ts';
import { methodOf, type Json, type JsonObject } from '../src/cloud/wire/operation.ts';

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
    servers: [
      {
        url: '/',
        description: 'The server of this document. For another cloud: the URL in `--cloud-url`.',
      },
    ],
    security: [{ apiKey: [] }],
    tags: chapters.map(({ tag }) => tag),
    paths: paths(),
    components: {
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          description: 'The API key of a project: visible ASCII characters without blanks.',
        },
      },
      parameters: Object.fromEntries(
        Object.entries(pathIds.shape).map(([name, { description = '' }]) => [
          name,
          {
            name,
            in: 'path',
            required: true,
            description,
            schema: { type: 'string', minLength: 1 },
          },
        ]),
      ),
      headers: {
        RetryAfter: {
          description: 'Seconds to wait, or an HTTP date. The operator waits an hour at most.',
          schema: { type: 'string' },
          example: '5',
        },
      },
      responses: responses(),
      schemas: schemas(),
    },
  };
}

function paths(): JsonObject {
  const items: Record<string, Record<string, Json>> = {};
  for (const { tag, operations } of chapters) {
    for (const [id, row] of Object.entries(operations)) {
      const item = (items[row.path] ??= parametersOf(row.path));
      item[methodOf[row.effect].toLowerCase()] = operation(id, row, tag.name);
    }
  }
  return items;
}

function parametersOf(path: string): Record<string, Json> {
  const names = [...path.matchAll(/\{(\w+)\}/gu)].map(([, name = '']) => name);
  return names.length > 0
    ? { parameters: names.map((name) => ({ $ref: `#/components/parameters/${name}` })) }
    : {};
}

function operation(
  operationId: string,
  { path, summary, description, request, success, conflict }: Operation,
  tag: string,
): JsonObject {
  return {
    operationId,
    summary,
    ...(description && { description }),
    tags: [tag],
    ...(request && { requestBody: { required: true, content: content(schemaRef(request)) } }),
    responses: {
      [success.status]: successOf(success),
      ...Object.fromEntries(
        refusalsOf(path, request !== undefined).map((status) => [
          status,
          { $ref: `#/components/responses/${refusals[status].name}` },
        ]),
      ),
      ...(conflict && {
        409: refusalOf(
          `${conflict} The operator looks again later.`,
          'conflict',
          'not in this state',
        ),
      }),
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

const header = '# Generated from src/cloud by npm run generate. Do not edit.\n';

/** YAML 1.1 quotes texts that older readers would take for dates or booleans. */
export function openApiYaml(): string {
  return (
    header +
    stringify(openApiDocument(), { version: '1.1', lineWidth: 0, aliasDuplicateObjects: false })
  );
}

/** The duties of a cloud beyond single operations, and the deviations that the operator tolerates. */
const introduction = `The API of a managed database cloud, as managed-db-operator uses it: exactly these operations. The operator can use any cloud that serves them, such as the simulator (\`npm run simulator\`).

## Duties of a cloud
- **Keys and projects.** An API key belongs to exactly one project. \`GET /auth/info\` names the project.
- **Ids** are opaque and last as long as the resource. The cloud never reuses an id.
- **Names** need not be unique. The cloud shows a name as it was requested.
- **Lists** are complete, without pages. They may lag a write by seconds. Two minutes after a create, each list must show its resource: without an answer, the operator concludes from two such lists that the create made nothing.
- **A refusal** (400, 401, 403, 404, 409, 422, 429) with the error body means that the cloud changed nothing. If that is not certain, answer 5xx.
- **Changes** are asynchronous if the answer is 202: \`status\` shows their progress. The operator sends the next change after the last change has ended.
- **A 404** for an existing resource is worse than a 503: it counts as evidence that the resource is gone.
- **\`created\`** and the header \`Date\` follow the same clock, which is correct to a few seconds.

## Deviations that the operator tolerates
- Any 2xx is a success. The reply needs a body only for a list, a single resource or a new id. A body that begins with \`<\` is the page of a gateway, and no success.
- A null field counts as absent. The operator ignores an unknown field.
- A resource with all required fields is useful. The operator insists only on the id of a new resource, on \`apiKey.project.id\` and on the types of the fields.
- States may differ from the words in the enums.
- Any operation may answer 409: the operator waits and looks again. 422 counts as 400; 408 and 425 count as 5xx.
- An error may have any body, or none. Without \`code\` and \`message\` it counts as the page of a gateway and proves nothing. Only a 401 needs no body: the operator stops using the key.

## On the wire
- HTTP/1.1, over https except on the local machine. The operator follows no redirect. The base URL (\`--cloud-url\`) may have a path.
- Bodies are UTF-8 JSON: replies of at most 64 MiB, errors of at most 64 KiB.
- A call ends after 30 seconds. The transport sends each request once and never repeats it. Creates use own connections.
- 10 requests a second for each API key, bursts of 20, unless configured otherwise.`;

interface Refusal {
  readonly name: string;
  readonly description: string;
  readonly code: string;
  readonly message: string;
}

const refusals = {
  400: {
    name: 'BadRequest',
    description:
      'The cloud cannot carry out the request. The operator shows the message, and sends the request again when the spec changes.',
    code: 'invalid_argument',
    message: 'name: is missing',
  },
  401: {
    name: 'Unauthorized',
    description:
      'The API key is missing, wrong or revoked. The operator checks the key again, at most every ten minutes.',
    code: 'unauthorized',
    message: 'the API key is not valid',
  },
  403: {
    name: 'Forbidden',
    description: 'The API key lacks the right, or belongs to another project.',
    code: 'forbidden',
    message: 'the API key belongs to another project',
  },
  404: {
    name: 'NotFound',
    description:
      'No resource has this id. For the operator, a 404 alone proves nothing: the lists must agree.',
    code: 'not_found',
    message: 'service c7x2k9 does not exist',
  },
  413: {
    name: 'TooLarge',
    description: 'The body exceeds the limit of the cloud.',
    code: 'bad_request',
    message: 'the body is too large',
  },
  415: {
    name: 'UnsupportedMediaType',
    description: 'The body is not `application/json`.',
    code: 'unsupported',
    message: 'bodies are application/json',
  },
  429: {
    name: 'TooManyRequests',
    description:
      'Too many requests of this API key. The operator pauses all its requests until `Retry-After`, for ten minutes at most; without it, for five seconds.',
    code: 'rate_limited',
    message: 'too many requests',
  },
  '5XX': {
    name: 'CloudFailed',
    description:
      'The cloud failed. The result is unknown: the operator looks for it before the next request.',
    code: 'internal',
    message: 'something went wrong',
  },
} as const satisfies Record<string, Refusal>;
type RefusalStatus = keyof typeof refusals;

function refusalOf(description: string, code: string, message: string): JsonObject {
  return { description, content: content(schemaRef('Error'), { code, message }) };
}

function responses(): JsonObject {
  return Object.fromEntries(
    Object.entries(refusals).map(([status, { name, description, code, message }]) => {
      const headers =
        status === '429'
          ? { headers: { 'Retry-After': { $ref: '#/components/headers/RetryAfter' } } }
          : {};
      return [name, { ...refusalOf(description, code, message), ...headers }];
    }),
  );
}

function schemaRef(name: SchemaName): JsonObject {
  return { $ref: `#/components/schemas/${name}` };
}

function schemas(): JsonObject {
  const registry = z.registry<{ readonly id: string }>();
  for (const [id, schema] of Object.entries(wireSchemas)) registry.add(schema, { id });
  const document = z.toJSONSchema(registry, {
    io: 'input',
    uri: (id) => `#/components/schemas/${id}`,
    override: strict,
  });
  return Object.fromEntries(
    // zod leaves out the examples of schemas with transforms.
    Object.entries(plain.parse(document.schemas)).map(
      ([name, { $schema: _dialect, $id: _uri, examples: _some, ...schema }]) => [
        name,
        { ...schema, ...(isName(name) ? { examples: [exampleOf(name)] } : {}) },
      ],
    ),
  );
}

type Override = NonNullable<z.core.ToJSONSchemaParams['override']>;

/**
 * The client reads null as absent and tolerates missing fields. The document allows no null, and requires the fields
 * that are marked as expected. In OpenAPI, `readOnly` would forbid the field in requests; zod writes it for a readonly array.
 */
function strict({ zodSchema, jsonSchema: schema }: Parameters<Override>[0]): void {
  const { anyOf = [], ...beside } = schema;
  const [only, ...others] = anyOf.filter(({ type }) => type !== 'null');
  const bare = only && others.length === 0 ? { ...only, ...beside } : schema;
  const {
    $ref,
    type,
    format,
    description,
    required,
    readOnly: _readOnly,
    [expectedMark]: _mark,
    ...more
  } = bare;
  const { def } = zodSchema._zod;
  const isExpected = ([name, field]: [string, z.core.$ZodType]) =>
    required?.includes(name) || z.globalRegistry.get(field)?.[expectedMark];
  const expected = def.type === 'object' ? Object.entries(def.shape).filter(isExpected) : [];
  for (const keyword of Object.keys(schema)) delete schema[keyword];
  Object.assign(
    schema,
    {
      $ref,
      type,
      format,
      description,
      required: expected.length > 0 ? expected.map(([name]) => name) : required,
    },
    more,
  );
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
}

function exampleOf(name: SchemaName): JsonObject {
  return described.parse(wireSchemas[name].meta()).examples[0];
}

function isName(name: string): name is SchemaName {
  return Object.hasOwn(wireSchemas, name);
}

const json: z.ZodType<JsonObject> = z.record(z.string(), z.json());
const plain = z.record(z.string(), json);
const described = z.object({ examples: z.tuple([json]) });
