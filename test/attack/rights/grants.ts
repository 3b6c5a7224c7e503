import { readFile } from 'node:fs/promises';
import { parseAllDocuments } from 'yaml';
import * as z from 'zod';

/** The smallest thing that a rule gives: it can be taken away alone. */
export interface Grant {
  /** The kind of its role: a Role covers a single namespace. */
  readonly role: 'ClusterRole' | 'Role';
  readonly group: string;
  /** With its subresource, as in `managedvpcs/status`. */
  readonly resource: string;
  readonly verb: string;
  /** The only object that it is about; undefined for all. */
  readonly name: string | undefined;
}

/** `patch managedservices/status.managed-db.io`, and the name if the grant covers a single object. */
export function wordsOf({ verb, resource, group, name }: Grant): string {
  return [
    verb,
    group === '' ? resource : `${resource}.${group}`,
    ...(name === undefined ? [] : [name]),
  ].join(' ');
}

/** No part of a wildcard, or of an empty list, can be taken away alone. */
const words = z.array(z.string().regex(/^[^*]*$/u)).min(1);
const rule = z.strictObject({
  apiGroups: words,
  resources: words,
  verbs: words,
  resourceNames: words.optional(),
});
const role = z.object({
  kind: z.enum(['ClusterRole', 'Role']),
  metadata: z.object({ name: z.string() }),
  rules: z.array(rule),
});
const binding = z.object({
  roleRef: z.object({ kind: z.string(), name: z.string() }),
  subjects: z.array(
    z.object({ kind: z.literal('ServiceAccount'), name: z.literal('managed-db-operator') }),
  ),
});

const installYaml = new URL('../../../deploy/install.yaml', import.meta.url);

/**
 * All that deploy/install.yaml grants the operator's ServiceAccount.
 * @throws {Error} where a rule or a binding cannot be taken apart: a right that is left out here would never be taken away
 */
export async function operatorGrants(): Promise<readonly Grant[]> {
  const documents = parseAllDocuments(await readFile(installYaml, 'utf8')).map(
    (document) => document.toJS() as unknown,
  );
  const ofKinds = (...kinds: readonly string[]) =>
    documents.filter((each) => kinds.includes(z.object({ kind: z.string() }).parse(each).kind));
  const roles = ofKinds('ClusterRole', 'Role').map((each) => role.parse(each));
  const bound = ofKinds('ClusterRoleBinding', 'RoleBinding').map(
    (each) => binding.parse(each).roleRef,
  );
  return bound.flatMap((ref) => {
    const found = roles.find(
      ({ kind, metadata }) => kind === ref.kind && metadata.name === ref.name,
    );
    if (!found) throw new Error(`the ${ref.kind} ${ref.name} is bound, and is not in the file`);
    return found.rules.flatMap((each) => grantsOf(found.kind, each));
  });
}

function grantsOf(
  kind: Grant['role'],
  { apiGroups, resources, verbs, resourceNames }: z.output<typeof rule>,
): Grant[] {
  const names: readonly (string | undefined)[] = resourceNames ?? [undefined];
  return apiGroups.flatMap((group) =>
    resources.flatMap((resource) =>
      verbs.flatMap((verb) => names.map((name) => ({ role: kind, group, resource, verb, name }))),
    ),
  );
}
