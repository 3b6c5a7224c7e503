import * as z from 'zod';
import { wireSchemas, type SchemaName } from '../wire/all.ts';
import { documentSchema, type JsonObject } from './document-schema.ts';

export function schemaRef(name: SchemaName): JsonObject {
  return { $ref: `#/components/schemas/${name}` };
}

/** `components.schemas` of the document. */
export function documentSchemas(): JsonObject {
  const registry = z.registry<{ readonly id: string }>();
  for (const [id, schema] of Object.entries(wireSchemas)) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, { io: 'input', uri: (id) => `#/components/schemas/${id}` });
  return Object.fromEntries(
    // zod leaves out the examples of schemas with transforms.
    Object.entries(plain.parse(schemas)).map(([name, { examples: _some, ...schema }]) => [
      name,
      { ...documentSchema(schema), ...(isName(name) ? { examples: [exampleOf(name)] } : {}) },
    ]),
  );
}

export function exampleOf(name: SchemaName): JsonObject {
  return described.parse(wireSchemas[name].meta()).examples[0];
}

function isName(name: string): name is SchemaName {
  return Object.hasOwn(wireSchemas, name);
}

const json: z.ZodType<JsonObject> = z.record(z.string(), z.json());
const plain = z.record(z.string(), json);
const described = z.object({ examples: z.tuple([json]) });
