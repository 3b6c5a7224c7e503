import { parseAllDocuments } from 'yaml';
import * as z from 'zod';

const manifest = z.looseObject({ kind: z.string(), metadata: z.looseObject({ name: z.string() }) });
/** A reference to something in a namespace is no name of the entry itself. */
const named = z.looseObject({ name: z.string(), namespace: z.undefined().optional() });

const usual = 'managed-db-operator';

/**
 * Manifests as lines: `Kind/name` for each object, and `Kind/name path value` for each value in it.
 * The path of a list entry has the entry's name; entries without a name are a set.
 */
export function linesOf(manifests: string): ReadonlySet<string> {
  const objects = parseAllDocuments(manifests).flatMap((document) => {
    const parsed = manifest.safeParse(document.toJS());
    return parsed.success ? [parsed.data] : [];
  });
  return new Set(
    objects.flatMap((object) => {
      const { name } = object.metadata;
      const id = name === usual ? object.kind : `${object.kind}/${name}`;
      return [id, ...inside(id, object)];
    }),
  );
}

function inside(path: string, value: unknown): readonly string[] {
  if (Array.isArray(value))
    return value.flatMap((entry: unknown) => inside(path + nameOf(entry), entry));
  if (typeof value !== 'object' || value === null) return [`${path} ${String(value)}`];
  const entries = Object.entries(value);
  if (entries.length === 0) return [`${path} {}`];
  return entries.flatMap(([key, entry]) =>
    inside(path.includes(' ') ? `${path}.${key}` : `${path} ${key}`, entry),
  );
}

function nameOf(entry: unknown): string {
  const parsed = named.safeParse(entry);
  return parsed.success ? `[${parsed.data.name}]` : '';
}

/**
 * The differences, a line each: `+ Deployment spec.replicas 3`. A new or removed object has only its own line.
 * A changed value has only the line of its new value.
 */
export function difference(
  before: ReadonlySet<string>,
  after: ReadonlySet<string>,
): readonly string[] {
  const added = [...after].filter((line) => !before.has(line));
  const gone = [...before].filter((line) => !after.has(line));
  const places = new Set(added.map(placeOf));
  return [
    ...withoutInsides(added).map((line) => `+ ${line}`),
    ...withoutInsides(gone.filter((line) => !places.has(placeOf(line)))).map((line) => `- ${line}`),
  ];
}

function placeOf(line: string): string {
  return line.split(' ').slice(0, 2).join(' ');
}

function withoutInsides(lines: readonly string[]): readonly string[] {
  const whole = new Set(lines.filter((line) => !line.includes(' ')));
  return lines.filter((line) => !line.includes(' ') || !whole.has(line.split(' ')[0] ?? ''));
}
