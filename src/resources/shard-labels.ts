/** Labels of kubernetes-controller-sharding, by which processes share the objects. (docs/sharding.md) */
const prefix = 'alpha.sharding.timebertt.dev/';

/** On the Lease of a shard: the name of its ControllerRing. */
export const ringLabel = `${prefix}controllerring`;

/** On the Lease of a shard: the process that holds it, unlike earlier processes of the name. */
export const processAnnotation = 'managed-db.io/process';

/** On an object: the name of the shard in this ring that works it. */
export function shardLabel(ring: string): string {
  return `shard.${prefix}${ring}`;
}

/** On an object: its shard must release it, and remove both labels. */
export function drainLabel(ring: string): string {
  return `drain.${prefix}${ring}`;
}

export function isShardingLabel(name: string): boolean {
  return name.startsWith(`shard.${prefix}`) || name.startsWith(`drain.${prefix}`);
}
