import * as z from 'zod';
import { apiGroup } from '../resources/api-group.ts';
import { managedServices } from '../resources/managed-service.ts';
import { managedVpcs } from '../resources/managed-vpc.ts';
import { replicaSets } from '../resources/replica-set.ts';
import { systemClock } from '../runtime/clock.ts';
import { KubernetesError, type KubernetesClient } from '../runtime/kubernetes-client.ts';
import { resourceKey, type ResourceType } from '../runtime/kubernetes-object.ts';
import { customResourceDefinitions } from './custom-resource-definition.ts';
import type { Log } from './log.ts';

const namespace = z.object({ metadata: z.object({ uid: z.string() }) });
const namespaces: ResourceType<z.infer<typeof namespace>> = {
  group: '',
  version: 'v1',
  plural: 'namespaces',
  kind: 'Namespace',
  parse: (value) => namespace.parse(value),
};

const lookAgainMs = 2_000;

/**
 * Waits until the API server answers and knows our kinds, and says once for each reason what it is waiting for.
 * @returns which cluster this is: the uid of its namespace kube-system
 */
export async function awaitCluster(kubernetes: KubernetesClient, log: Log, signal: AbortSignal): Promise<string> {
  let said = '';
  for (;;) {
    const found = await look(kubernetes);
    if ('uid' in found) return found.uid;
    if (found.missing !== said) log.warn({}, found.missing);
    said = found.missing;
    await systemClock.sleep(lookAgainMs, signal);
  }
}

async function look(kubernetes: KubernetesClient): Promise<{ readonly uid: string } | { readonly missing: string }> {
  try {
    const system = await kubernetes.get(namespaces, resourceKey(undefined, 'kube-system'), { timeoutMs: 5_000 });
    if (!system) return { missing: 'waiting for the namespace kube-system, which tells clusters apart' };
    for (const { plural } of [managedVpcs, managedServices, replicaSets]) {
      const name = `${plural}.${apiGroup}`;
      const definition = await kubernetes.get(customResourceDefinitions, resourceKey(undefined, name), { timeoutMs: 5_000 });
      if (!definition) return { missing: `waiting for the CustomResourceDefinition ${name}: kubectl apply -k crds` };
    }
    return { uid: system.metadata.uid };
  } catch (error) {
    if (!(error instanceof KubernetesError)) throw error;
    const denied = error.kind === 'forbidden' || error.kind === 'unauthorized';
    return {
      missing: denied
        ? `the API server refuses: ${error.message}; give the ServiceAccount the roles of the chart (rbac.create) or of deploy/install.yaml`
        : `waiting for the API server (${error.kind})`,
    };
  }
}
