import { stringify } from 'yaml';
import * as z from 'zod';
import { chartValues, ignoredValues, misnomers } from './values.ts';

const node = z.looseObject({
  description: z.string().optional(),
  default: z.unknown().optional(),
  get properties() {
    return z.record(z.string(), node).optional();
  },
});
type Node = z.infer<typeof node>;

const source = 'scripts/chart/values.ts and src/config by npm run generate. Do not edit.';
const schemaOf = (values: z.ZodType) =>
  z.toJSONSchema(values, {
    io: 'input',
    target: 'draft-7',
    override: ({ jsonSchema: part }) => readable(part),
  });
const root = z
  .object({ properties: z.record(z.string(), node) })
  .parse(schemaOf(chartValues)).properties;
type Schema = z.core.JSONSchema.BaseSchema;
const jsonSchema = {
  ...Object.keys(misnomers).reduce<Schema>(
    (whole, path) => withAny(whole, path.split('.')),
    schemaOf(chartValues.extend(ignoredValues)),
  ),
  title: 'Values of the chart managed-db-operator',
};

/** The schema with any value at this path: a check refuses a name of another chart in words. */
function withAny(schema: Schema, [name = '', ...below]: readonly string[]): Schema {
  const { properties = {} } = schema;
  const { [name]: inside } = properties;
  const value = below.length === 0 ? {} : withAny(typeof inside === 'object' ? inside : {}, below);
  return { ...schema, properties: { ...properties, [name]: value } };
}

/** templates/_misnomers.tpl: a line for each, the path, a tab and the right name. */
export const misnomersTemplate = `{{- /* Generated from ${source} */ -}}
{{- define "operator.misnomers" -}}
${Object.entries(misnomers)
  .map(([wrong, right]) => `${wrong}\t${right}`)
  .join('\n')}
{{- end -}}
`;

/** A value that has no values below it, such as `config.workers`. */
export interface Leaf {
  readonly path: string;
  readonly description: string;
  readonly default: unknown;
}

/** All leaves, in the order of values.yaml. */
export const leaves: readonly Leaf[] = Object.entries(root).flatMap(([name, value]) =>
  leavesOf(name, value),
);

/**
 * The values that the templates need, so that they may not be null: each part, and each leaf whose default is a text, a
 * number or a switch. Parts come before their leaves.
 */
export const needed: readonly string[] = Object.entries(root).flatMap(([name, value]) =>
  neededOf(name, value),
);

function neededOf(path: string, { properties, default: given }: Node): readonly string[] {
  if (!properties || given !== undefined)
    return given === '' || typeof given === 'object' ? [] : [path];
  return [
    path,
    ...Object.entries(properties).flatMap(([name, value]) => neededOf(`${path}.${name}`, value)),
  ];
}

/** templates/_needed.tpl. */
export const neededTemplate = `{{- /* Generated from ${source} */ -}}
{{- define "operator.needed" -}}
${needed.join('\n')}
{{- end -}}
`;

function leavesOf(
  path: string,
  { properties, description, default: given }: Node,
): readonly Leaf[] {
  if (description === undefined) throw new Error(`the value ${path} has no description`);
  if (!properties || given !== undefined) return [{ path, description, default: given }];
  return Object.entries(properties).flatMap(([name, value]) => leavesOf(`${path}.${name}`, value));
}

/** values.schema.json: Helm checks the values of a user against it. */
export const valuesSchema = `${JSON.stringify(jsonSchema, undefined, 2)}\n`;

/** values.yaml: all defaults, each with its description. */
export const valuesYaml = `# Values of the chart managed-db-operator. Generated from ${source}\n${yamlOf(root, '')}`;

function yamlOf(values: Readonly<Record<string, Node>>, indent: string): string {
  const lines = Object.entries(values).map(
    ([name, { properties, description, default: given }]) => {
      const comment = `${indent}# ${description ?? ''}\n`;
      if (properties && given === undefined)
        return `${indent === '' ? '\n' : ''}${comment}${indent}${name}:\n${yamlOf(properties, `${indent}  `)}`;
      const text = stringify({ [name]: given }, { lineWidth: 0 }).trimEnd();
      return `${indent === '' ? '\n' : ''}${comment}${text.replaceAll(/^/gmu, indent)}\n`;
    },
  );
  return lines.join('');
}

/** The leaves with the same default and meaning, such as those of both monitors. */
const rows = Map.groupBy(
  leaves,
  ({ description, default: given }) =>
    `\`${JSON.stringify(given)}\` | ${description.replaceAll('|', '\\|')}`,
);

/** docs/reference/values.md: a row for each default and meaning. */
export const valuesPage = `<!-- Generated from ${source} -->
# Values of the Helm chart

The chart is in \`deploy/helm/managed-db-operator\`. \`values.schema.json\` and \`templates/_checks.tpl\` let Helm refuse misspelt, invalid and contradictory values. Each value under \`config\` is a flag of the operator with the same name: \`config.cloudUrl\` is \`--cloud-url\`. The values \`global\` and \`enabled\` of an umbrella chart have no effect.

| value | default | meaning |
|---|---|---|
${[...rows].map(([meaning, paths]) => `| ${paths.map(({ path }) => `\`${path}\``).join('<br>')} | ${meaning} |`).join('\n')}
`;

/**
 * Helm reports a wrong name under another path (propertyNames of its library); as a property, under its own. A
 * slash needs no escape.
 */
function readable(schema: z.core.JSONSchema.BaseSchema): void {
  if (schema.pattern !== undefined) schema.pattern = schema.pattern.replaceAll('\\/', '/');
  const { propertyNames: names, additionalProperties: value } = schema;
  if (typeof names !== 'object' || value === undefined) return;
  delete schema.propertyNames;
  if (names.pattern !== undefined) schema.patternProperties = { [names.pattern]: value };
  else if (names.enum)
    schema.properties = Object.fromEntries(names.enum.map((name) => [String(name), value]));
  else return;
  schema.additionalProperties = false;
}
