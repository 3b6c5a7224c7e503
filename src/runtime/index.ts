/**
 * The face of the runtime: all that the rest of the tree uses of it. What is not here is its own affair.
 */
export type { ApiServer } from './api-server.ts';
export { backOffMs } from './back-off.ts';
export { cacheIndex } from './cache-index.ts';
export { catchUp } from './catch-up.ts';
export { acceleratedClock, systemClock, type Clock } from './clock.ts';
export { conditionsNow } from './conditions.ts';
export { connection, type Connection } from './connection.ts';
export { controller, type Controller, type Requeue } from './controller.ts';
export { currentVisit, visiting } from './current-visit.ts';
export { eventRecorder, type EventRecorder } from './events.ts';
export { hasFinalizer, withFinalizer, withoutFinalizer } from './finalizers.ts';
export { healthServer } from './health-server.ts';
export { kubernetesClient, type KubernetesClient, type List } from './kubernetes-client.ts';
export { KubernetesError, type KubernetesErrorKind } from './kubernetes-error.ts';
export { keyOf, parseKey, resourceKey, type KubernetesObject, type ResourceKey, type ResourceType } from './kubernetes-object.ts';
export { leaderElection, type LeaderElection } from './leader-election.ts';
export { alwaysLeader, type Leadership } from './leadership.ts';
export { leases } from './lease.ts';
export { loopGuard, type LoopGuard } from './loop-guard.ts';
export type { Log } from './log.ts';
export { objectCache, type CacheChange, type FillableCache, type ObjectCache } from './object-cache.ts';
export { objectReference, partsOfReference, referenceOf, type ObjectReference } from './object-reference.ts';
export { outage, type Outage } from './outage.ts';
export { parked } from './parked.ts';
export { reflect, type ReflectorOptions } from './reflector.ts';
export { requestObserver, type RequestObservation } from './request-observer.ts';
export { sharedRead } from './shared-read.ts';
export { writeStatus } from './status-writer.ts';
export { watchedRequests } from './watched-requests.ts';
export type { Priority, QueueObserver } from './work-queue.ts';
