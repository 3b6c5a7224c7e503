/** The public exports of the runtime. `kubeconfig.ts` is the only other file that the rest of the tree may import. See README.md. */
export { acceleratedClock, backOffMs, systemClock, type Clock } from './clock.ts';
export { connection, type ApiServer, type Connection } from './connection.ts';
export {
  controller,
  currentVisit,
  untilStopped,
  type Controller,
  type Requeue,
} from './controller.ts';
export type { EventRecorder, RecordedEvent } from './events.ts';
export type { MetricsPage } from './health-server.ts';
export { keptCaches } from './kept-caches.ts';
export { kubernetesClient, type KubernetesClient } from './kubernetes-client.ts';
export {
  isConflict,
  KubernetesError,
  unlessNotFound,
  type KubernetesErrorKind,
  type Requested,
} from './kubernetes-error.ts';
export {
  hasFinalizer,
  isGone,
  isLetGo,
  withFinalizer,
  withoutFinalizer,
} from './kubernetes-object.ts';
export {
  keyOf,
  parseKey,
  pathOf,
  resourceKey,
  type KubernetesObject,
  type ResourceKey,
  type ResourceType,
} from './kubernetes-object.ts';
export {
  objectReference,
  partsOfReference,
  referenceOf,
  type ObjectReference,
} from './kubernetes-object.ts';
export type { ElectionSettings, Leadership } from './leader-election.ts';
export { leases } from './lease.ts';
export type { Running } from './lifecycle.ts';
export type { Log } from './log.ts';
export { loopGuard, type LoopGuard } from './loop-guard.ts';
export { manager, type Manager, type ManagerMetrics } from './manager.ts';
export { cacheIndex, differsOnlyInStatus, Groups, objectCache } from './object-cache.ts';
export type { CacheChange, CacheIndex, FillableCache, ObjectCache } from './object-cache.ts';
export { loggedOutage, type Outage } from './outage.ts';
export type { Shard, SharedObjects, ShardSettings } from './shard.ts';
export { sharedRead } from './shared-read.ts';
export { patchStatus, statusPatch } from './status-writer.ts';
export { unlessAborted } from './unless-aborted.ts';
export type { Priority } from './work-queue.ts';
