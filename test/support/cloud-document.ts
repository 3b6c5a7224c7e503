import {
  Ajv2020,
  type AnySchemaObject,
  type ErrorObject,
  type ValidateFunction,
} from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import * as z from 'zod';
import { openApiDocument } from '../../scripts/openapi-document.ts';

/** A request to the cloud and its answer. */
export interface Exchange {
  readonly method: string;
  /** Without the base URL. */
  readonly path: string;
  /** Undefined for a request without a body. */
  readonly requestBody: string | undefined;
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly replyBody: string;
}

/** The API's document, and checks of requests and replies against it. */
export interface CloudDocument {
  /** All operations, with the statuses that the document lists for each. */
  readonly statuses: ReadonlyMap<string, readonly string[]>;
  /** Undefined: the document has no such operation. */
  operationOf(method: string, path: string): string | undefined;
  /** Differences of the request from the document: unknown and missing parts. Never a value. */
  requestProblems(exchange: Pick<Exchange, 'method' | 'path' | 'requestBody'>): readonly string[];
  /** Differences of the reply from the document: status, headers or body. */
  replyProblems(exchange: Omit<Exchange, 'requestBody'>): readonly string[];
  /** @param schema a schema of the document */
  problemsOf(schema: object, value: unknown): readonly string[];
}

const content = z.object({
  'application/json': z.object({ schema: z.record(z.string(), z.unknown()) }),
});
const response = z.object({
  headers: z.record(z.string(), z.unknown()).default({}),
  content: content.optional(),
});
const operation = z.object({
  operationId: z.string(),
  requestBody: z.object({ content }).optional(),
  responses: z.record(z.string(), z.union([z.object({ $ref: z.string() }), response])),
});
const documentShape = z.object({
  paths: z.record(
    z.string(),
    z.object({
      get: operation.optional(),
      post: operation.optional(),
      put: operation.optional(),
      delete: operation.optional(),
    }),
  ),
  components: z.object({
    responses: z.record(z.string(), response),
    schemas: z.record(z.string(), z.unknown()),
  }),
});
type Operation = z.infer<typeof operation> & { readonly method: string; readonly path: RegExp };

/** @param text a document as JSON. Default: the document that is generated from the schemas now */
export function cloudDocument(text = JSON.stringify(openApiDocument())): CloudDocument {
  const { paths, components } = documentShape.parse(JSON.parse(text));
  const operations = Object.entries(paths).flatMap(([path, item]) => {
    const fits = new RegExp(`^${path.replaceAll(/\{\w+\}/gu, '[^/]+')}$`, 'u');
    return (['get', 'post', 'put', 'delete'] as const).flatMap((method): readonly Operation[] => {
      const each = item[method];
      return each ? [{ ...each, method: method.toUpperCase(), path: fits }] : [];
    });
  });
  const problemsOf = validator(components.schemas);
  const validate = (
    where: string,
    described: z.infer<typeof content> | undefined,
    body: string | undefined,
  ) => {
    if (!described)
      return body === undefined || body === ''
        ? []
        : [`${where}: a body, where the document has none`];
    const value = json(body ?? '');
    if (value === undefined) return [`${where}: no JSON`];
    return problemsOf(described['application/json'].schema, value).map(
      (problem) => `${where}: ${problem}`,
    );
  };
  const find = (method: string, path: string) =>
    operations.find((each) => each.method === method && each.path.test(path));
  const responseOf = ({ responses }: Operation, status: number) => {
    const found = responses[status] ?? responses[`${String(status).slice(0, 1)}XX`];
    return found && '$ref' in found
      ? components.responses[found.$ref.split('/').at(-1) ?? '']
      : found;
  };
  return {
    statuses: new Map(
      operations.map(({ operationId, responses }) => [operationId, Object.keys(responses)]),
    ),
    operationOf: (method, path) => find(method, path)?.operationId,
    requestProblems({ method, path, requestBody }) {
      const asked = find(method, path);
      if (!asked) return [`${method} ${path}: the document has no such operation`];
      return validate(asked.operationId, asked.requestBody?.content, requestBody);
    },
    replyProblems({ method, path, status, headers, replyBody }) {
      const asked = find(method, path);
      if (!asked) return [];
      const where = `${asked.operationId} ${status}`;
      const described = responseOf(asked, status);
      if (!described) return [`${where}: the document does not know this status`];
      const missing = Object.keys(described.headers).filter(
        (name) => headers[name.toLowerCase()] === undefined,
      );
      return [
        ...missing.map((name) => `${where}: no ${name}`),
        ...validate(where, described.content, replyBody),
      ];
    },
    problemsOf,
  };
}

function validator(schemas: Readonly<Record<string, unknown>>): CloudDocument['problemsOf'] {
  const ajv = new Ajv2020({ allErrors: true, strictTypes: false });
  addFormats.default(ajv);
  ajv.addVocabulary(['components']);
  ajv.addSchema({ $id: 'cloud', components: { schemas: closed(schemas) } });
  const compiled = new WeakMap<object, ValidateFunction>();
  return (schema, value) => {
    const check = compiled.get(schema) ?? ajv.compile(inCloud(schema));
    compiled.set(schema, check);
    return check(value) ? [] : (check.errors ?? []).map(problemIn);
  };
}

/** A part of the document as a separate schema. */
function inCloud(schema: object): AnySchemaObject {
  return z
    .looseObject({})
    .parse(JSON.parse(JSON.stringify(schema).replaceAll('"#/components/', '"cloud#/components/')));
}

function problemIn({ instancePath, message = '', params }: ErrorObject): string {
  const { additionalProperty: extra } = z
    .object({ additionalProperty: z.string() })
    .partial()
    .parse(params);
  return `${instancePath === '' ? 'the body' : instancePath} ${message}${extra === undefined ? '' : `: ${extra}`}`;
}

/** Unknown fields are allowed in a reply, but not in a request of the operator. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema;
  const inner = Object.fromEntries(
    Object.entries(schema).map(([name, value]) => [
      name,
      name === 'examples' ? value : closed(value),
    ]),
  );
  return inner['type'] === 'object' && 'properties' in inner
    ? { additionalProperties: false, ...inner }
    : inner;
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // the caller reports it
  }
}
