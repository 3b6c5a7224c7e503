import * as z from 'zod';
import { celRules, type CelRule } from '../rule.ts';

const preserveUnknown = 'x-kubernetes-preserve-unknown-fields';

/** A structural schema of a CustomResourceDefinition: the keywords of JSON Schema that Kubernetes accepts, in the order of crds/. */
const structural = z.strictObject({
  type: z.enum(['object', 'array', 'string', 'integer', 'number', 'boolean']).optional(),
  get items() {
    return structural.optional();
  },
  get properties() {
    return z.record(z.string(), structural).optional();
  },
  get additionalProperties() {
    return structural.optional();
  },
  required: z.array(z.string()).optional(),
  enum: z.array(z.unknown()).optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  minLength: z.number().optional(),
  maxLength: z.number().optional(),
  pattern: z.string().optional(),
  minItems: z.number().optional(),
  maxItems: z.number().optional(),
  format: z.string().optional(),
  'x-kubernetes-int-or-string': z.boolean().optional(),
  [preserveUnknown]: z.boolean().optional(),
  description: z.string().optional(),
  minProperties: z.number().optional(),
  maxProperties: z.number().optional(),
  'x-kubernetes-list-type': z.string().optional(),
  'x-kubernetes-list-map-keys': z.array(z.string()).optional(),
  [celRules]: z.custom<readonly CelRule[]>(Array.isArray).optional(),
  default: z.unknown().optional(),
});
export type StructuralSchema = z.infer<typeof structural>;

/**
 * The structural schema of a zod schema. Refuses a schema that Kubernetes cannot express, or expresses differently.
 * @throws {Error} with the path in the schema
 */
export function toStructural(schema: z.ZodType): StructuralSchema {
  const { $schema: _dialect, ...keywords } = z.toJSONSchema(schema, {
    target: 'draft-7',
    io: 'input',
    override,
  });
  return structural.parse(keywords);
}

type Override = NonNullable<z.core.ToJSONSchemaParams['override']>;

/** Replaces the keywords of JSON Schema that Kubernetes has in another form. */
function override({ zodSchema, jsonSchema: keywords, path }: Parameters<Override>[0]): void {
  const { def } = zodSchema._zod;
  if (isLossy(def, z.globalRegistry.get(zodSchema)?.[celRules] !== undefined))
    throw new Error(
      `${path.join('.')}: JSON Schema cannot express this ${def.type}; CEL can, see checkedBy`,
    );
  if (def.type === 'unknown') keywords[preserveUnknown] = true;
  if (keywords.const !== undefined) {
    keywords.enum = [keywords.const];
    delete keywords.const;
  }
  if (def.type === 'union' && isIntOrWord(def)) {
    delete keywords.anyOf;
    keywords['x-kubernetes-int-or-string'] = true;
  }
  if (def.type === 'record') {
    if (!def.keyType._zod.def.checks?.length) delete keywords.propertyNames;
    // A map of unknown values keeps them unchecked.
    if (def.valueType._zod.def.type === 'unknown') {
      delete keywords.additionalProperties;
      keywords[preserveUnknown] = true;
    }
  }
  if (keywords.minimum === Number.MIN_SAFE_INTEGER) delete keywords.minimum;
  if (keywords.maximum === Number.MAX_SAFE_INTEGER) delete keywords.maximum;
}

const expressible: ReadonlySet<string> = new Set([
  'min_length',
  'max_length',
  'string_format',
  'number_format',
  'greater_than',
  'less_than',
]);

/**
 * Whether JSON Schema silently drops a part of this schema, or the API server drops fields that it accepts.
 * @param hasCel CEL rules stand for the checks that are a function
 */
function isLossy(def: z.core.$ZodTypes['_zod']['def'], hasCel: boolean): boolean {
  if (def.type === 'pipe' || (def.type === 'object' && def.catchall)) return true;
  return (def.checks ?? []).some(
    ({ _zod: { def: check } }) =>
      !(expressible.has(check.check) || (hasCel && check.check === 'custom')) ||
      ('pattern' in check && check.pattern instanceof RegExp && check.pattern.ignoreCase),
  );
}

function isIntOrWord({ options }: z.core.$ZodUnionDef): boolean {
  const [number, word] = options.map(({ _zod }) => _zod.def.type);
  return options.length === 2 && number === 'number' && word === 'literal';
}
