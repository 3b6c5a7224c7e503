import { drainLabel, shardLabel } from '../../src/resources/shard-labels.ts';
import { managedServices } from '../../src/resources/managed-service.ts';
import { KubernetesError, resourceKey } from '../../src/runtime/index.ts';
import { until } from './until.ts';
import type { World } from './world.ts';

export const ring = 'databases';
const [shard, drain] = [shardLabel(ring), drainLabel(ring)];

export const shardNamed = (name: string) => ({ name, label: shard, drainLabel: drain });

/**
 * The effects of kubernetes-controller-sharding's sharder on services, by its documentation. It assigns objects to
 * shards, requests the release of an object from a living shard, and takes away those of a dead shard. No manifest may
 * have the label: the sharder alone writes it.
 */
export function sharder({ kubernetes, namespace }: World) {
  const patch = async (name: string, labels: Readonly<Record<string, string | null>>) => {
    try {
      await kubernetes.patch(managedServices, resourceKey(namespace, name), {
        metadata: { labels },
      });
    } catch (error) {
      if (!(error instanceof KubernetesError && error.kind === 'notFound')) throw error; // it is gone
    }
  };
  const labelsOf = async (name: string) =>
    (await kubernetes.get(managedServices, resourceKey(namespace, name)))?.metadata.labels;
  return {
    /** Assigns the object to a shard, from any process, as the sharder assigns an object of a dead shard. */
    give: (name: string, to: string) => patch(name, { [shard]: to, [drain]: null }),
    /** Asks its shard to let the object go. */
    drain: (name: string) => patch(name, { [drain]: 'true' }),
    /** Waits until its shard has let the object go, or another shard has it, or it is gone. */
    untilLetGo: (name: string) =>
      until(`${name} to be let go`, async () => (await labelsOf(name))?.[drain] === undefined),
    shardOf: async (name: string) => (await labelsOf(name))?.[shard],
  };
}
