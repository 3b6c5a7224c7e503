import * as z from 'zod';
import { settingsSchema } from '../../src/config/config.ts';
import { settingsTable, type Setting } from '../../src/config/settings-table.ts';
import { checkedPatterns } from './checked-patterns.ts';

/** Settings that the chart gives by itself, or that mean nothing in a cluster. */
const chartsOwn: ReadonlySet<string> = new Set([
  'apiKeyFile',
  'kubeconfig',
  'context',
  // Several Pods are alive at the same time in every rollout, also with 1 replica: without a Lease two would
  // act.
  'leaderElect',
  // A Role names the Lease.
  'leaderElectResourceName',
  'leaderElectResourceNamespace',
  // The name of the Pod.
  'shardName',
]);

const described = z.looseObject({
  default: z.unknown().optional(),
  enum: z.array(z.string()).optional(),
  pattern: z.string().optional(),
  maxLength: z.number().optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  /** Of a list. */
  eachMatches: z.string().optional(),
});
const settings = z
  .object({ properties: z.record(z.string(), described) })
  .parse(z.toJSONSchema(settingsSchema, { io: 'input' })).properties;
const defaults: Readonly<Record<string, unknown>> = settingsSchema.parse({
  cloudUrl: 'https://api.example.com',
});

/** Where a Pod can do less than a process. */
const narrower: Readonly<Record<string, string>> = {
  // Probes come to the address of the Pod.
  healthAddress: checkedPatterns.healthAddress,
};

const size = z.union([z.int().min(1).max(2_147_483_647), z.literal('shared')]);

/** The settings of the operator as values of the chart: of the same names, with the same defaults, but lists are lists and numbers numbers. */
export const configValues = z.strictObject({
  ...Object.fromEntries(
    settingsTable
      .filter(({ name }) => !chartsOwn.has(name))
      .map((setting) => [setting.name, valueOf(setting)]),
  ),
  // Not flags, but a policy.
  sizes: z
    .array(z.strictObject({ cpuMillis: size, memoryGbs: size }))
    .default([])
    .describe(
      'sizes of the cloud, as {cpuMillis: 500, memoryGbs: 2}: a policy refuses other sizes, and lists these; default: the cloud alone decides',
    ),
  regions: z
    .array(z.string().regex(/^[\w.-]{1,64}$/u))
    .meta({ uniqueItems: true })
    .default([])
    .describe('regions of the cloud, likewise'),
  // Not a flag, but the variable of Node.
  cloudCaFile: z
    .string()
    .max(4_096)
    .regex(/^$|^\/\P{Cc}*$/u)
    .default('')
    .describe(
      "NODE_EXTRA_CA_CERTS: file with certificates in PEM that are trusted in addition to the system's; read at the start",
    ),
});

function valueOf(setting: Setting): z.ZodType {
  const schema = settings[setting.name];
  if (!schema)
    throw new Error(`the setting ${setting.name} is in the table, but not in the schema`);
  return typeOf(setting, schema).describe(
    setting.meaning.replace(/[.;] (?:Default: .*|Required)$/u, ''),
  );
}

function typeOf({ name, value: kind }: Setting, schema: z.infer<typeof described>): z.ZodType {
  const { minimum = 0, maximum = Number.MAX_SAFE_INTEGER, maxLength = 4_096 } = schema;
  if (kind === 'LIST')
    return z
      .array(z.string().regex(new RegExp(textOf(schema.eachMatches, name), 'u')))
      .meta({ uniqueItems: true })
      .default([]);
  if (kind === 'BOOL') return z.boolean().default(defaults[name] === true);
  if (kind === 'N')
    return z.int().min(minimum).max(maximum).default(z.number().parse(schema.default));
  const text = z.string().parse(schema.default ?? '');
  if (schema.enum) return z.enum(schema.enum).default(text);
  const given = narrower[name] ?? textOf(schema.pattern, name);
  const pattern = new RegExp(text === '' ? `^$|${given}` : given, 'u');
  const value = z.string().max(maxLength);
  return (
    name in checkedPatterns ? value.refine((each) => pattern.test(each)) : value.regex(pattern)
  ).default(text);
}

/** Without a pattern, only the operator would refuse a wrong text, or no check at all. */
function textOf(pattern: string | undefined, name: string): string {
  if (pattern === undefined)
    throw new Error(`the setting ${name} has no pattern for Helm to hold it against`);
  return pattern;
}
