import { readFileSync } from 'node:fs';
import { parseAllDocuments } from 'yaml';
import * as z from 'zod';

/** A request, as RBAC sees it. */
export interface Attempted {
  readonly verb: string;
  readonly group: string;
  /** The plural, with the subresource, such as `managedvpcs/status`. */
  readonly resource: string;
  readonly namespace: string | undefined;
  /** Undefined for a list, a watch and a create. */
  readonly name: string | undefined;
}

const rule = z.object({
  apiGroups: z.array(z.string()),
  resources: z.array(z.string()),
  resourceNames: z.array(z.string()).optional(),
  verbs: z.array(z.string()),
});
type Rule = z.infer<typeof rule>;
const role = z.object({
  kind: z.enum(['ClusterRole', 'Role']),
  metadata: z.object({ name: z.string(), namespace: z.string().optional() }),
  rules: z.array(rule),
});

const installation = new URL('../../../deploy/install.yaml', import.meta.url);
const roles = parseAllDocuments(readFileSync(installation, 'utf8')).flatMap((document) => {
  const parsed = role.safeParse(document.toJSON());
  return parsed.success ? [parsed.data] : [];
});
const rulesOf = (name: string) => roles.filter(({ metadata }) => metadata.name === name);
const operatorRoles = [
  ...rulesOf('managed-db-system:managed-db-operator'),
  ...rulesOf('managed-db-operator'),
];

/** The user of an operator that shares the objects with others, with the additional rights of docs/sharding.md. */
export const shardUser = 'system:serviceaccount:managed-db-system:shard';
const shardLeases: Rule = {
  apiGroups: ['coordination.k8s.io'],
  resources: ['leases'],
  verbs: ['get', 'update', 'watch'],
};

const allVerbs = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'];
/** The role edit of Kubernetes, for the kinds that the server has. */
const edit: readonly Rule[] = [
  ...rulesOf('managed-db-edit').flatMap(({ rules }) => rules),
  { apiGroups: [''], resources: ['secrets'], verbs: allVerbs },
  { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: allVerbs },
  { apiGroups: [''], resources: ['events'], verbs: allVerbs },
  { apiGroups: [''], resources: ['namespaces'], verbs: ['get', 'list', 'watch'] },
];

/**
 * Whether a user may do a request. The user admin may do everything; a ServiceAccount has the
 * rights of the operator in deploy/install.yaml; any other user is a tenant with the role edit.
 */
export function isAllowed(user: string, attempted: Attempted): boolean {
  if (user === 'admin') return true;
  if (!user.startsWith('system:serviceaccount:'))
    return attempted.namespace !== undefined && edit.some((each) => allows(each, attempted));
  if (
    user === shardUser &&
    attempted.namespace === 'managed-db-system' &&
    allows(shardLeases, attempted)
  )
    return true;
  return operatorRoles.some(
    ({ metadata, rules }) =>
      (metadata.namespace === undefined || metadata.namespace === attempted.namespace) &&
      rules.some((each) => allows(each, attempted)),
  );
}

function allows(
  { apiGroups, resources, resourceNames, verbs }: Rule,
  { verb, group, resource, name }: Attempted,
): boolean {
  return (
    verbs.includes(verb) &&
    apiGroups.includes(group) &&
    resources.includes(resource) &&
    (resourceNames === undefined || (name !== undefined && resourceNames.includes(name)))
  );
}
