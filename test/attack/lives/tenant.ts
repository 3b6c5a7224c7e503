import type { Dispatcher } from 'undici';
import { inject } from 'vitest';
import { managedServices } from '../../../src/resources/managed-service.ts';
import {
  connection,
  kubernetesClient,
  type ApiServer,
  type KubernetesClient,
  type ResourceType,
} from '../../../src/runtime/index.ts';
import { kubeconfig } from '../../../src/runtime/kubeconfig.ts';
import { adminKubeconfig, kubeconfigText } from '../../control-plane/kubeconfig.ts';
import { until } from '../../support/until.ts';
import type { World } from '../../support/world.ts';

export interface Tenant extends AsyncDisposable {
  readonly kubernetes: KubernetesClient;
}

const roleBindings: ResourceType<unknown> = {
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  plural: 'rolebindings',
  kind: 'RoleBinding',
  parse: (value) => value,
};

/** A user with the role edit in the namespace of a world, and without any other right. */
export async function tenantOf({ kubernetes, namespace }: World): Promise<Tenant> {
  const user = `tenant-${namespace}`;
  const apiGroup = 'rbac.authorization.k8s.io';
  await kubernetes.create(roleBindings, namespace, {
    apiVersion: `${apiGroup}/v1`,
    kind: 'RoleBinding',
    metadata: { name: user },
    roleRef: { apiGroup, kind: 'ClusterRole', name: 'edit' },
    subjects: [{ apiGroup, kind: 'User', name: user }],
  });
  const link = connection({ apiServer, intercept: as(user), stallMs: 70_000 });
  const client = kubernetesClient({
    connection: link,
    fieldManager: 'tenant',
    userAgent: 'tenant',
  });
  await until('the role to be effective', () =>
    client.list(managedServices, { namespace }).then(
      () => true,
      () => false,
    ),
  );
  return { kubernetes: client, [Symbol.asyncDispose]: () => link[Symbol.asyncDispose]() };
}

function apiServer(): ApiServer {
  return kubeconfig({ text: kubeconfigText(adminKubeconfig(inject('controlPlane'))) }).apiServer();
}

/** The admin may impersonate other users. */
function as(user: string): Dispatcher.DispatcherComposeInterceptor {
  return (dispatch) => (options, handler) =>
    dispatch({ ...options, headers: { ...headersOf(options), 'impersonate-user': user } }, handler);
}

function headersOf({ headers }: Dispatcher.DispatchOptions): Readonly<Record<string, string>> {
  const given = typeof headers === 'object' && headers !== null ? Object.entries(headers) : [];
  return Object.fromEntries(
    given.filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}
