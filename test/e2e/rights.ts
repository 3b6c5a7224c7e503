import { readFile } from 'node:fs/promises';
import * as z from 'zod';

const auditLine = z.object({
  verb: z.string(),
  user: z.object({ username: z.string() }),
  objectRef: z
    .object({
      apiGroup: z.string().default(''),
      resource: z.string(),
      subresource: z.string().optional(),
      name: z.string().optional(),
    })
    .optional(),
  annotations: z.object({ 'authorization.k8s.io/decision': z.string().optional() }).optional(),
});

/** `verb resource.group`, as in `patch managedservices/status.managed-db.io`. */
export type Right = string;

function right(verb: string, resource: string, group: string): Right {
  return `${verb} ${resource}${group === '' ? '' : `.${group}`}`;
}

/** The requests of a ServiceAccount to the API server, from the audit log. */
export async function used(
  auditLogPath: string,
  user: string,
): Promise<{ readonly rights: ReadonlySet<Right>; readonly forbidden: readonly Right[] }> {
  const lines = (await readFile(auditLogPath, 'utf8')).trimEnd().split('\n');
  const rights = new Set<Right>();
  const forbidden: Right[] = [];
  for (const { verb, user: asking, objectRef, annotations } of lines.map((line) =>
    auditLine.parse(JSON.parse(line)),
  )) {
    if (asking.username !== user || !objectRef) continue;
    const { resource, subresource, apiGroup } = objectRef;
    const asked = right(
      verb,
      subresource === undefined ? resource : `${resource}/${subresource}`,
      apiGroup,
    );
    if (annotations?.['authorization.k8s.io/decision'] === 'forbid') forbidden.push(asked);
    else rights.add(asked);
  }
  return { rights, forbidden };
}

const roles = z.object({
  items: z.array(
    z.object({
      rules: z
        .array(
          z.object({
            apiGroups: z.array(z.string()),
            resources: z.array(z.string()),
            verbs: z.array(z.string()),
          }),
        )
        .default([]),
    }),
  ),
});

/** Each verb on each resource that roles grant, given as `kubectl get roles,clusterroles -o json`. */
export function granted(json: string): ReadonlySet<Right> {
  const rules = roles.parse(JSON.parse(json)).items.flatMap((role) => role.rules);
  return new Set(
    rules.flatMap(({ apiGroups, resources, verbs }) =>
      apiGroups.flatMap((group) =>
        resources.flatMap((resource) => verbs.map((verb) => right(verb, resource, group))),
      ),
    ),
  );
}
