import { inject } from 'vitest';
import * as z from 'zod';
import type { ResourceType } from '../../../src/runtime/index.ts';
import { serviceAccountToken } from '../../control-plane/kubectl.ts';
import { until } from '../../support/until.ts';
import type { World } from '../../support/world.ts';
import { wordsOf, type Grant } from './grants.ts';

const name = 'operator';
const apiVersion = 'rbac.authorization.k8s.io/v1';

/**
 * Creates a ServiceAccount in the world's namespace with exactly these rights, and waits until the API server
 * applies them.
 * @param without a right that the account must not have through any other rule
 * @returns its token
 */
export async function accountWith(
  world: World,
  grants: readonly Grant[],
  without: Grant | undefined,
): Promise<string> {
  const { namespace } = world;
  const rulesIn = (kind: Grant['role']) => grants.filter(({ role }) => role === kind).map(ruleOf);
  const subjects = [{ kind: 'ServiceAccount', name, namespace }];
  // A cluster-scoped object has the name of the namespace that it serves.
  const of = { ClusterRole: { name: `rights-${namespace}` }, Role: { name, namespace } } as const;
  const bound = (kind: Grant['role']) => [
    { apiVersion, kind, metadata: of[kind], rules: rulesIn(kind) },
    {
      apiVersion,
      kind: `${kind}Binding`,
      metadata: of[kind],
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind, name: of[kind].name },
      subjects,
    },
  ];
  const items = [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace } },
    ...bound('ClusterRole'),
    ...bound('Role'),
  ];
  const made = await world.kubectl(
    ['create', '-f', '-'],
    JSON.stringify({ apiVersion: 'v1', kind: 'List', items }),
  );
  if (made.code !== 0) throw new Error(made.stderr);
  // A single right of each role shows whether the role is in force.
  const telling = (['ClusterRole', 'Role'] as const).flatMap(
    (kind) => grants.find(({ role }) => role === kind) ?? [],
  );
  await until(`the rights of ${namespace}`, async () => {
    const answers = await Promise.all(telling.map((grant) => isAllowed(world, grant)));
    return answers.every(Boolean);
  });
  if (without && (await isAllowed(world, without)))
    throw new Error(`two rules grant ${wordsOf(without)}: one of them has to go`);
  return serviceAccountToken(inject('controlPlane'), namespace, name);
}

function ruleOf({ group, resource, verb, name: only }: Grant) {
  return {
    apiGroups: [group],
    resources: [resource],
    verbs: [verb],
    ...(only === undefined ? {} : { resourceNames: [only] }),
  };
}

const review = z.object({ status: z.object({ allowed: z.boolean() }) });
const reviews: ResourceType<z.output<typeof review>> = {
  group: 'authorization.k8s.io',
  version: 'v1',
  plural: 'subjectaccessreviews',
  kind: 'SubjectAccessReview',
  parse: (value) => review.parse(value),
};

async function isAllowed({ kubernetes, namespace }: World, grant: Grant): Promise<boolean> {
  const [resource = '', subresource = ''] = grant.resource.split('/');
  const { group, verb, name: only = '' } = grant;
  const spec = {
    user: `system:serviceaccount:${namespace}:${name}`,
    resourceAttributes: { namespace, group, resource, subresource, verb, name: only },
  };
  const { status } = await kubernetes.create(reviews, undefined, {
    apiVersion: 'authorization.k8s.io/v1',
    kind: reviews.kind,
    spec,
  });
  return status.allowed;
}
