/**
 * The face of the runtime: all that the rest of the tree uses of it, but for `kubeconfig.ts`. What is not here is its own affair. See README.md.
 */
export type { ApiServer } from './api-server.ts';
export { backOffMs } from './back-off.ts';
export { cacheIndex } from './cache-index.ts';
export { acceleratedClock, systemClock, type Clock } from './clock.ts';
export { conditionsNow, type Condition } from './conditions.ts';
export { connection, type Connection } from './connection.ts';
export { controller, type Controller, type Requeue } from './controller.ts';
export { currentVisit } from './current-visit.ts';
export type { EventRecorder } from './events.ts';
export { hasFinalizer, withFinalizer, withoutFinalizer } from './finalizers.ts';
export { kubernetesClient, type KubernetesClient } from './kubernetes-client.ts';
export { KubernetesError, type KubernetesErrorKind } from './kubernetes-error.ts';
export { keyOf, parseKey, resourceKey, type KubernetesObject, type ResourceKey, type ResourceType } from './kubernetes-object.ts';
export type { Leadership } from './leadership.ts';
export { leases } from './lease.ts';
export type { Running } from './life.ts';
export type { Log } from './log.ts';
export { loopGuard, type LoopGuard } from './loop-guard.ts';
export { manager, type Manager, type ManagerMetrics } from './manager.ts';
export { objectCache, type CacheChange, type FillableCache, type ObjectCache } from './object-cache.ts';
export { objectReference, referenceOf, type ObjectReference } from './object-reference.ts';
export { toldOutage, type Outage } from './outage.ts';
export { parked } from './parked.ts';
export { sharedRead } from './shared-read.ts';
export { writeStatus } from './status-writer.ts';
export type { ElectionSettings } from './told-election.ts';
export type { Priority } from './work-queue.ts';
