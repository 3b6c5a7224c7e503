import { notFound } from './api-error.ts';
import type { Kind, Project } from './project.ts';
import { markDeleted } from './services.ts';
import type { Timeline } from './timeline.ts';

/** A state to force on a resource, any word; undefined removes the resource. */
export interface Forced {
  readonly kind: Kind;
  readonly id: string;
  readonly status: string | undefined;
  readonly errorMessage?: string | undefined;
}

/** Forces a resource into a state, or removes it, without an API call. Cancels its planned changes. @throws {ApiError} 404 */
export function force(project: Project, { kind, id, status, errorMessage }: Forced): void {
  const now = project.clock.now();
  switch (kind) {
    case 'service':
      plan(project.services.get(id)?.timeline, (service) => ({ ...service, status }));
      break;
    case 'replicaSet':
      plan(project.replicaSets.get(id)?.timeline, (set) => ({ ...set, status }));
      break;
    case 'peering':
      plan(project.peerings.get(id)?.timeline, (peering) => ({ ...peering, status, error_message: errorMessage }));
      break;
    case 'vpc':
      plan(project.vpcs.get(id), (vpc) => vpc);
      break;
  }
  markDeleted(project, id, status === undefined ? now : undefined);

  function plan<T>(timeline: Timeline<T> | undefined, change: (before: T) => T): void {
    if (!timeline?.at(now)) throw notFound(kind, id);
    timeline.plan(now, [{ afterMs: 0, change: (before) => (status === undefined ? undefined : change(before)) }]);
  }
}
