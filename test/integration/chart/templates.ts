import * as z from 'zod';
import type { ControlPlaneHandle } from '../../control-plane/control-plane.ts';
import { chart, helm } from '../../support/helm.ts';

/** Leaves out the long objects that all installations of a cluster share. */
const base = {
  config: { cloudUrl: 'https://api.example.com' },
  crds: { install: false },
  ledger: { createNamespace: false },
  policies: { install: false },
  tenantRoles: { create: false },
};

export interface Templates {
  readonly render: (...values: readonly object[]) => Promise<string>;
  /** Why Helm refuses. */
  readonly refusal: (...values: readonly object[]) => Promise<string>;
  readonly notes: (...values: readonly object[]) => Promise<string>;
}

/** Renders the chart, as a release in the namespace managed-db-system; later values win. */
export function templates(handle: ControlPlaneHandle, release = 'managed-db-operator'): Templates {
  const run = (command: readonly string[], values: readonly object[]) =>
    helm(
      handle,
      [...command, release, chart, '--namespace', 'managed-db-system'],
      values.reduce(merged, base),
    );
  return {
    render: async (...values) => {
      const { stdout, stderr, code } = await run(['template'], values);
      if (code !== 0) throw new Error(stderr);
      return stdout;
    },
    refusal: async (...values) => (await run(['template'], values)).stderr,
    notes: async (...values) => {
      const { stdout, stderr, code } = await run(
        ['install', '--dry-run=client', '--hide-secret'],
        values,
      );
      if (code !== 0) throw new Error(stderr);
      return stdout.slice(stdout.indexOf('NOTES:'));
    },
  };
}

const tree = z.record(z.string(), z.unknown());

/** Both, and where they differ the second. */
export function merged(below: object, above: object): object {
  const result: Record<string, unknown> = { ...below };
  for (const [name, value] of Object.entries(above)) {
    const [one, other] = [tree.safeParse(result[name]), tree.safeParse(value)];
    result[name] = one.success && other.success ? merged(one.data, other.data) : value;
  }
  return result;
}

/** `a.b` and 1 as `{a: {b: 1}}`. */
export function at(path: string, value: unknown): object {
  const [name = '', ...rest] = path.split('.');
  return { [name]: rest.length === 0 ? value : at(rest.join('.'), value) };
}

/** Whether both paths are the same, or a path is a part of the other path. */
function meet(one: string, other: string): boolean {
  return `${one}.`.startsWith(`${other}.`) || `${other}.`.startsWith(`${one}.`);
}

/**
 * Puts rows into as few groups as possible, so that a single run of Helm answers for a group: a run takes half a second.
 * @param pathsOf the values that a row sets; no two rows of a group set the same value, or a part of it
 */
export function inGroups<Row>(
  rows: readonly Row[],
  pathsOf: (row: Row) => readonly string[],
): readonly (readonly Row[])[] {
  const groups: { readonly rows: Row[]; readonly paths: string[] }[] = [];
  for (const row of rows) {
    const paths = pathsOf(row);
    const isFree = (group: (typeof groups)[number]) =>
      !paths.some((path) => group.paths.some((taken) => meet(path, taken)));
    const group = groups.find(isFree);
    if (group) {
      group.rows.push(row);
      group.paths.push(...paths);
    } else groups.push({ rows: [row], paths: [...paths] });
  }
  return groups.map((group) => group.rows);
}
