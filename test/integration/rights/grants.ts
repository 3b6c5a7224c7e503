import { readFile } from 'node:fs/promises';
import { parseAllDocuments } from 'yaml';
import * as z from 'zod';

/** The smallest thing that a rule gives: it can be taken away alone. */
export interface Grant {
  /** Where it stands: a Role is about one namespace. */
  readonly role: 'ClusterRole' | 'Role';
  readonly group: string;
  /** With its subresource, as in `managedvpcs/status`. */
  readonly resource: string;
  readonly verb: string;
  /** The only object that it is about; undefined for all. */
  readonly name: string | undefined;
}

/** `patch managedservices/status.managed-db.io`, and the name where it is about one object. */
export function wordsOf({ verb, resource, group, name }: Grant): string {
  return [verb, group === '' ? resource : `${resource}.${group}`, ...(name === undefined ? [] : [name])].join(' ');
}

const rule = z.strictObject({
  apiGroups: z.array(z.string()),
  resources: z.array(z.string()),
  verbs: z.array(z.string()),
  resourceNames: z.array(z.string()).optional(),
});
const role = z.object({ kind: z.enum(['ClusterRole', 'Role']), metadata: z.object({ name: z.string() }), rules: z.array(rule) });
const binding = z.object({
  kind: z.enum(['ClusterRoleBinding', 'RoleBinding']),
  roleRef: z.object({ kind: z.string(), name: z.string() }),
  subjects: z.array(z.object({ kind: z.literal('ServiceAccount'), name: z.literal('managed-db-operator') })),
});

const installYaml = new URL('../../../deploy/install.yaml', import.meta.url);

/** All that deploy/install.yaml grants the operator's ServiceAccount. */
export async function operatorGrants(): Promise<readonly Grant[]> {
  const documents = parseAllDocuments(await readFile(installYaml, 'utf8')).map((document) => document.toJS() as unknown);
  const bound = documents.flatMap((each) => binding.safeParse(each).data ?? []).map(({ roleRef }) => `${roleRef.kind} ${roleRef.name}`);
  return documents
    .flatMap((each) => role.safeParse(each).data ?? [])
    .filter(({ kind, metadata }) => bound.includes(`${kind} ${metadata.name}`))
    .flatMap(({ kind, rules }) => rules.flatMap((each) => grantsOf(kind, each)));
}

function grantsOf(kind: Grant['role'], { apiGroups, resources, verbs, resourceNames }: z.output<typeof rule>): Grant[] {
  const names: readonly (string | undefined)[] = resourceNames ?? [undefined];
  return apiGroups.flatMap((group) =>
    resources.flatMap((resource) => verbs.flatMap((verb) => names.map((name) => ({ role: kind, group, resource, verb, name })))),
  );
}
