import { replicaSetId } from '../cloud/wire/ids.ts';
import type { ReplicaSet } from '../cloud/wire/replica-set.ts';
import type { Request } from '../cloud/wire/requests.ts';
import { conflict, notFound } from './api-error.ts';
import { newNumericId } from './names.ts';
import { deletionMs, remember, replicaSetsOf, type Project } from './project.ts';
import type { CreateReplicaSetBody } from './request-bodies.ts';
import { requireState } from './service-lifecycle.ts';
import { getService, markDeleted } from './services.ts';
import { timeline, type Step } from './timeline.ts';

export function listReplicaSets(project: Project, serviceId: string, time: number): readonly ReplicaSet[] {
  getService(project, serviceId);
  return replicaSetsOf(project, serviceId, time);
}

export function createReplicaSet(project: Project, serviceId: string, body: CreateReplicaSetBody): ReplicaSet {
  requireState(getService(project, serviceId), ['READY']);
  const now = project.clock.now();
  const id = replicaSetId.parse(newNumericId());
  const reached = { endpoint: { host: `${id}.replicas.db.example`, port: 5432 } };
  const first: ReplicaSet = {
    id,
    ...body,
    metadata: { environment: 'DEV' },
    ...(project.endpointAtOnce ? reached : {}),
    status: 'creating',
  };
  const made = timeline(now, first);
  made.plan(now, [{ afterMs: project.latencyMs, change: (set) => ({ ...set, ...reached, status: 'active' }) }]);
  project.replicaSets.set(id, { serviceId, timeline: made });
  remember(project, 'replicaSet', id, body.name, serviceId);
  return current(project, serviceId, id);
}

export function resizeReplicaSet(project: Project, serviceId: string, id: string, size: Request<'Resize'>): void {
  change(project, serviceId, id, [
    { afterMs: 0, change: (set) => ({ ...set, status: 'resizing' }) },
    {
      afterMs: project.latencyMs,
      change: (set) => ({ ...set, status: 'active', cpu_millis: Number(size.cpu_millis), memory_gbs: Number(size.memory_gbs) }),
    },
  ]);
}

export function setReplicaSetPooler(project: Project, serviceId: string, id: string, enabled: boolean): void {
  const on = { connection_pooler: { endpoint: { host: `${id}.replicas.pooler.db.example`, port: 6432 } } };
  change(project, serviceId, id, [{ afterMs: 0, change: ({ connection_pooler: _before, ...set }) => (enabled ? { ...set, ...on } : set) }]);
}

export function setReplicaSetEnvironment(project: Project, serviceId: string, id: string, metadata: Request<'SetEnvironment'>): void {
  change(project, serviceId, id, [{ afterMs: 0, change: (set) => ({ ...set, metadata }) }]);
}

export function deleteReplicaSet(project: Project, serviceId: string, id: string): void {
  const now = project.clock.now();
  if (current(project, serviceId, id).status === 'deleting') throw conflict(`replica set ${id} is being deleted already`);
  project.replicaSets.get(id)?.timeline.plan(now, [
    { afterMs: 0, change: (set) => ({ ...set, status: 'deleting' }) },
    { afterMs: deletionMs(project), change: () => undefined },
  ]);
  markDeleted(project, id, now + deletionMs(project));
}

function current(project: Project, serviceId: string, id: string): ReplicaSet {
  getService(project, serviceId);
  const kept = project.replicaSets.get(id);
  const set = kept?.serviceId === serviceId ? kept.timeline.at(project.clock.now()) : undefined;
  if (!set) throw notFound('replica set', id);
  return set;
}

function change(project: Project, serviceId: string, id: string, steps: readonly Step<ReplicaSet>[]): void {
  const { status } = current(project, serviceId, id);
  if (status !== 'active') throw conflict(`replica set ${id} is ${status}, and can be changed when it is active`);
  project.replicaSets.get(id)?.timeline.plan(project.clock.now(), steps);
}
