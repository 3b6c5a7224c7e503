import * as z from 'zod';
import { apiGroup, apiVersion } from './api-group.ts';
import { createHash } from 'node:crypto';
import {
  annotations,
  approvalPrefix,
  cloudResourceFinalizer,
  connectionLabel,
  credentialsFinalizer,
  credentialsLabel,
} from './annotations.ts';
import { isShardingLabel } from './shard-labels.ts';

/** In characters. The longest answer of a person lists some hundred ids. */
const longestText = 4_096;

/**
 * Keeps the labels or annotations with these names, which the operator reads. Other texts may be as large as an object
 * (`kubectl.kubernetes.io/last-applied-configuration` is a second copy of it). A digest replaces a text that is too
 * long to be valid; it still differs when the text does.
 */
export function textsNamed(names: Pick<ReadonlySet<string>, 'has'>) {
  return z.record(z.string(), z.string()).transform((texts) =>
    Object.fromEntries(
      Object.entries(texts)
        .filter(([name]) => names.has(name))
        .map(([name, text]) => [name, text.length <= longestText ? text : digest(text)]),
    ),
  );
}

/** The operator's labels, and those that name the process of the object. */
const labels = z.record(z.string(), z.string()).transform((texts) => {
  const sharding = Object.entries(texts).filter(([name]) => isShardingLabel(name));
  return { ...oursOnly.parse(texts), ...Object.fromEntries(sharding) };
});

const ours: ReadonlySet<string> = new Set([
  ...Object.values(annotations),
  connectionLabel,
  credentialsLabel,
]);

export const oursOnly = textsNamed({
  has: (name) => ours.has(name) || name.startsWith(approvalPrefix),
});

function digest(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('hex')}`;
}

/** Nearly every object has a single finalizer of ours: thousands share the list. */
const oneOfOurs = new Map(
  [cloudResourceFinalizer, credentialsFinalizer].map((finalizer) => [finalizer, [finalizer]]),
);

/** A patch replaces the list, so a cache keeps all of them. */
export const allFinalizers = z
  .array(z.string())
  .transform(
    (all): readonly string[] => (all.length === 1 ? oneOfOurs.get(all[0] ?? '') : undefined) ?? all,
  );

export const everyObjects = {
  name: z.string(),
  namespace: z.string(),
  uid: z.string(),
  resourceVersion: z.string(),
};

/** Tools compare the text of a request with the operator's answer, and the operator writes the name of an entry. */
const asWritten: ReadonlySet<string> = new Set([annotations.requestedAt, annotations.ledger]);

/** Without the spaces around an id or a change, which no message shows, and which no person intends. */
function asMeant(name: string, text: string): string {
  if (asWritten.has(name)) return text;
  return name === annotations.createAnyway ? text.replaceAll(/\s*,\s*/gu, ',').trim() : text.trim();
}

/** An empty annotation counts as absent, except for `external-id`: it is a mistake that would create a database. */
const sayingOnly = oursOnly.transform((texts) =>
  Object.fromEntries(
    Object.entries(texts)
      .map(([name, text]) => [name, asMeant(name, text)] as const)
      .filter(([name, text]) => text !== '' || name === annotations.externalId),
  ),
);

/** The part of ObjectMeta that the operator reads, for a namespaced object in the API server. */
export const metadata = z.object({
  ...everyObjects,
  generation: z.number().default(1),
  creationTimestamp: z.string().optional(),
  deletionTimestamp: z.string().optional(),
  labels: labels.optional(),
  annotations: sayingOnly.optional(),
  finalizers: allFinalizers.optional(),
});
export type Metadata = z.infer<typeof metadata>;

/** An object from the API server. It can be reconciled and deleted with any spec. */
export interface StoredObject<Kind extends string, Spec, Status> {
  readonly apiVersion: string;
  readonly kind: Kind;
  readonly metadata: Metadata;
  /** A field that does not match the schema is absent here, and listed in `problems`. */
  readonly spec: Partial<Spec>;
  readonly problems: readonly SpecProblem[];
  readonly status?: Status;
}

const stored = z.object({ metadata, spec: z.unknown().optional(), status: z.unknown().optional() });

/** The place of each kind in the API, and the finalizer of its objects. */
export const everyKind = {
  group: apiGroup,
  version: apiVersion,
  finalizer: cloudResourceFinalizer,
} as const;

/** Reads an object that may have been stored under an older schema. @throws {z.ZodError} only for unreadable metadata */
export function storedObject<
  Kind extends string,
  Spec extends z.ZodObject,
  Status extends z.ZodObject,
>(
  kind: Kind,
  schema: { readonly spec: Spec; readonly status: Status },
  value: unknown,
): StoredObject<Kind, z.output<Spec>, Partial<z.output<Status>>> {
  const object = stored.parse(value);
  const { fields, issues } = readFields(schema.spec, object.spec ?? {});
  return {
    apiVersion: `${apiGroup}/${apiVersion}`,
    kind,
    metadata: object.metadata,
    spec: fields,
    problems: specProblems(issues, object.spec),
    // Status is the operator's own report. A broken or outdated status must not stop the operator.
    status: readFields(schema.status, object.status).fields,
  };
}

const partials = new WeakMap<z.ZodObject, z.ZodObject>();

/** The schema with optional fields. It is made once for each schema, since its first use compiles it. */
function partialOf(schema: z.ZodObject): z.ZodObject {
  const partial = partials.get(schema) ?? schema.partial();
  partials.set(schema, partial);
  return partial;
}

/** Reads an object field by field: leaves out the fields that do not match the schema. */
export function readFields<S extends z.ZodObject>(
  schema: S,
  value: unknown,
): { readonly fields: Partial<z.output<S>>; readonly issues: readonly z.core.$ZodIssue[] } {
  const whole = schema.safeParse(value);
  if (whole.success) return { fields: whole.data, issues: [] };
  const given = z.record(z.string(), z.unknown()).safeParse(value);
  const wrong = new Set(whole.error.issues.map(({ path }) => path[0]));
  const readable = Object.entries(given.success ? given.data : {}).filter(
    ([name]) => !wrong.has(name),
  );
  const fields = partialOf(schema).safeParse(Object.fromEntries(readable));
  return {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- partial() of a generic schema forgets the types of its fields
    fields: (fields.success ? fields.data : {}) as Partial<z.output<S>>,
    issues: whole.error.issues,
  };
}

/** A field of a stored spec that does not match the schema. */
export interface SpecProblem {
  /** Such as `spec.cpuMillis`. */
  readonly path: string;
  /** The value, shortened, in printable ASCII for messages and logs. Never a password. */
  readonly value: string;
  /** Such as `must be a whole number from 1 to 2147483647`. */
  readonly expectation: string;
}

export function specProblems(
  issues: readonly z.core.$ZodIssue[],
  spec: unknown,
): readonly SpecProblem[] {
  const problems = issues.map(({ path, message }) => ({
    path: ['spec', ...path].map(String).join('.'),
    value:
      path[0] === 'password' && path[1] !== 'secretRef' ? 'not shown' : shown(valueAt(spec, path)),
    expectation: message,
  }));
  // A number that is too large also fails the check for exactness. A single problem for each field is enough.
  return problems.filter(
    ({ path }, index) => problems.findIndex((other) => other.path === path) === index,
  );
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (at, name) => (typeof at === 'object' && at !== null ? Reflect.get(at, name) : undefined),
    value,
  );
}

const longest = 60;

function shown(value: unknown): string {
  if (value === undefined) return 'missing';
  if (typeof value === 'object' && value !== null)
    return Array.isArray(value) ? 'a list' : 'an object';
  const text = JSON.stringify(value).replaceAll(/[^ -~]/gu, '?');
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}

/**
 * They decide whether, and with which key, a resource may be deleted: the environment PROD protects it. Without one of
 * them, the operator makes no call.
 */
const deciding = [
  'deletionPolicy',
  'deletionProtection',
  'environment',
  'managementPolicy',
  'suspend',
  'credentialsRef',
];

export function decidingProblem(problems: readonly SpecProblem[]): SpecProblem | undefined {
  return problems.find(({ path }) => deciding.includes(path.split('.')[1] ?? ''));
}
