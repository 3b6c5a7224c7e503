import type * as z from 'zod';

/** A field of a stored spec that does not match the schema. */
export interface SpecProblem {
  /** Such as `spec.cpuMillis`. */
  readonly path: string;
  /** The value, shortened, in printable ASCII for messages and logs. Never a password. */
  readonly value: string;
  /** Such as `must be a whole number from 1 to 2147483647`. */
  readonly expectation: string;
}

export function specProblems(issues: readonly z.core.$ZodIssue[], spec: unknown): readonly SpecProblem[] {
  const problems = issues.map(({ path, message }) => ({
    path: ['spec', ...path].map(String).join('.'),
    value: path[0] === 'password' && path[1] !== 'secretRef' ? 'not shown' : shown(valueAt(spec, path)),
    expectation: message,
  }));
  // A number that is too large also fails the check for exactness. A single problem for each field is enough.
  return problems.filter(({ path }, index) => problems.findIndex((other) => other.path === path) === index);
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((at, name) => (typeof at === 'object' && at !== null ? Reflect.get(at, name) : undefined), value);
}

const longest = 60;

function shown(value: unknown): string {
  if (value === undefined) return 'missing';
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'a list' : 'an object';
  const text = JSON.stringify(value).replaceAll(/[^ -~]/gu, '?');
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}

/**
 * Fields that decide whether, and with which key, a resource may be deleted. The operator makes no call if any of them
 * is unreadable.
 */
const deciding = ['deletionPolicy', 'deletionProtection', 'managementPolicy', 'suspend', 'credentialsRef'];

export function decidingProblem(problems: readonly SpecProblem[]): SpecProblem | undefined {
  return problems.find(({ path }) => deciding.includes(path.split('.')[1] ?? ''));
}
