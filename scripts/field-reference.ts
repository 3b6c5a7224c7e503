import { stringify } from 'yaml';
import { apiGroup, apiVersion } from '../src/resources/api-group.ts';
import type { Definition } from '../src/resources/schema/definition.ts';
import { toStructural, type StructuralSchema } from '../src/resources/schema/to-structural.ts';

/** The page of a kind in the field reference: an example, and all fields with types, limits and descriptions. */
export function fieldReference({
  kind,
  plural,
  shortName,
  description,
  example,
  spec,
  status,
}: Definition): string {
  const manifest = {
    apiVersion: `${apiGroup}/${apiVersion}`,
    kind,
    metadata: { name: example.name },
    spec: example.spec,
  };
  return [
    `# ${kind}`,
    '',
    description,
    '',
    '```yaml',
    stringify(manifest).trimEnd(),
    '```',
    '',
    `\`kubectl get ${shortName}\`, \`kubectl explain ${plural}.spec\`. This page is made from the same schema. Beside the spec there are [annotations](annotations.md).`,
    '',
    '## spec',
    '',
    ...table(toStructural(spec)),
    '## status',
    '',
    ...table(toStructural(status)),
  ].join('\n');
}

function table(schema: StructuralSchema): readonly string[] {
  const rows = fieldsOf(schema, '').map(({ path, field, required }) => {
    const text = (field.description ?? '').replaceAll('|', '\\|');
    return `| \`${path}\`${required ? ' *' : ''} | ${typeOf(field)} | ${text} |`;
  });
  return ['| field (* required) | type | meaning |', '|---|---|---|', ...rows, ''];
}

interface Field {
  readonly path: string;
  readonly field: StructuralSchema;
  readonly required: boolean;
}

function fieldsOf(schema: StructuralSchema, prefix: string): readonly Field[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const path = prefix === '' ? name : `${prefix}.${name}`;
    const inner = field.items ? fieldsOf(field.items, `${path}[]`) : fieldsOf(field, path);
    return [{ path, field, required: schema.required?.includes(name) ?? false }, ...inner];
  });
}

function typeOf(field: StructuralSchema): string {
  if (field['x-kubernetes-int-or-string']) return 'integer or word';
  if (field.enum) return field.enum.map((value) => `\`${String(value)}\``).join(', ');
  if (field.type === 'array') return `list of ${field.items ? typeOf(field.items) : 'values'}`;
  const limits = [
    field.minimum === undefined ? '' : `from ${field.minimum}`,
    field.maximum === undefined ? '' : `to ${field.maximum}`,
    field.maxLength === undefined ? '' : `up to ${field.maxLength} characters`,
  ].filter((limit) => limit !== '');
  return [field.type ?? 'any', ...limits].join(' ');
}
