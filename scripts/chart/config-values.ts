import * as z from 'zod';
import { settingsSchema } from '../../src/config/config.ts';
import { settingsTable, type Setting } from '../../src/config/settings-table.ts';

/** Settings that the chart gives by itself, or that mean nothing in a cluster. */
const chartsOwn: ReadonlySet<string> = new Set([
  'apiKeyFile',
  'kubeconfig',
  'context',
  // Several Pods are alive at the same time in every rollout, also with one replica: without a Lease two would act.
  'leaderElect',
  // A Role names the Lease.
  'leaderElectResourceName',
  'leaderElectResourceNamespace',
]);

const described = z.looseObject({
  default: z.unknown().optional(),
  enum: z.array(z.string()).optional(),
  pattern: z.string().optional(),
  maxLength: z.number().optional(),
  minimum: z.number().optional(),
  /** Of a list. */
  eachMatches: z.string().optional(),
});
const settings = z
  .object({ properties: z.record(z.string(), described) })
  .parse(z.toJSONSchema(settingsSchema, { io: 'input' })).properties;
const defaults: Readonly<Record<string, unknown>> = settingsSchema.parse({ cloudUrl: 'https://api.example.com' });

/** The settings of the operator as values of the chart: of the same names, with the same defaults, but lists are lists and numbers numbers. */
export const configValues = z.strictObject(
  Object.fromEntries(settingsTable.filter(({ name }) => !chartsOwn.has(name)).map((setting) => [setting.name, valueOf(setting)])),
);

function valueOf(setting: Setting): z.ZodType {
  const schema = settings[setting.name];
  if (!schema) throw new Error(`the setting ${setting.name} is in the table, but not in the schema`);
  return typeOf(setting, schema).describe(setting.meaning.replace(/[.;] (?:Default: .*|Required)$/u, ''));
}

function typeOf({ name, value }: Setting, schema: z.infer<typeof described>): z.ZodType {
  const { minimum, pattern, maxLength } = schema;
  if (value === 'LIST') {
    const entry = schema.eachMatches === undefined ? z.string() : z.string().regex(new RegExp(schema.eachMatches, 'u'));
    return z.array(entry).default([]);
  }
  if (value === 'BOOL') return z.boolean().default(defaults[name] === true);
  if (value === 'N')
    return z
      .number()
      .int()
      .min(minimum ?? 0)
      .default(z.number().parse(schema.default));
  // Needed, but not where the simulator is the cloud: the chart says so when it is missing.
  if (value === 'URL')
    return z
      .string()
      .regex(/^$|^https:\/\/|^http:\/\/(localhost|127\.0\.0\.1|\[::1\])[:/]?/u)
      .default('');
  const text = z.string().parse(schema.default ?? '');
  if (schema.enum) return z.enum(schema.enum).default(text);
  const plain = maxLength === undefined ? z.string() : z.string().max(maxLength);
  return (pattern === undefined ? plain : plain.regex(new RegExp(pattern, 'u'))).default(text);
}
