import { replicaSetId, type ReplicaSet } from '../cloud/wire/replica-set.ts';
import { conflict } from './api-error.ts';
import { takes, type Handler, type Incoming } from './handler.ts';
import { newNumericId } from './names.ts';
import { deletionMs } from './project.ts';
import { requireState } from './service-lifecycle.ts';
import { change, create, find, list, remove } from './store.ts';
import type { Step } from './timeline.ts';

export const replicaSetHandlers = {
  listReplicaSets({ project, ids, listTime }) {
    find(project, 'service', ids.service_id);
    return list(project, 'replicaSet', listTime, ids.service_id);
  },
  createReplicaSet: takes('CreateReplicaSet', ({ project, ids, body }) => {
    requireState(find(project, 'service', ids.service_id), ['READY']);
    const id = replicaSetId.parse(newNumericId());
    const reached = { endpoint: { host: `${id}.replicas.db.example`, port: 5432 } };
    return create(project, 'replicaSet', {
      id,
      first: {
        id,
        ...body,
        metadata: { environment: 'DEV' },
        ...(project.endpointAtOnce ? reached : {}),
        status: 'creating',
      },
      steps: [
        { afterMs: project.latencyMs, change: (set) => ({ ...set, ...reached, status: 'active' }) },
      ],
      name: body.name,
      parentId: ids.service_id,
    });
  }),
  resizeReplicaSet: takes('Resize', (incoming) => {
    const { cpu_millis: cpu, memory_gbs: memory } = incoming.body;
    const size = { cpu_millis: Number(cpu), memory_gbs: Number(memory) };
    plan(incoming, [
      { afterMs: 0, change: (set) => ({ ...set, status: 'resizing' }) },
      {
        afterMs: incoming.project.latencyMs,
        change: (set) => ({ ...set, status: 'active', ...size }),
      },
    ]);
  }),
  enableReplicaSetPooler(incoming) {
    const pooler = {
      endpoint: { host: `${incoming.ids.replica_set_id}.replicas.pooler.db.example`, port: 6432 },
    };
    plan(incoming, [{ afterMs: 0, change: (set) => ({ ...set, connection_pooler: pooler }) }]);
  },
  disableReplicaSetPooler(incoming) {
    plan(incoming, [{ afterMs: 0, change: ({ connection_pooler: _off, ...set }) => set }]);
  },
  setReplicaSetEnvironment: takes('SetEnvironment', (incoming) => {
    plan(incoming, [{ afterMs: 0, change: (set) => ({ ...set, metadata: incoming.body }) }]);
  }),
  deleteReplicaSet(incoming) {
    const { project, ids } = incoming;
    if (current(incoming).status === 'deleting')
      throw conflict(`replica set ${ids.replica_set_id} is being deleted already`);
    remove(project, 'replicaSet', ids.replica_set_id, {
      status: 'deleting',
      afterMs: deletionMs(project),
    });
  },
} as const satisfies Readonly<Record<string, Handler>>;

function current({ project, ids }: Incoming<unknown>): ReplicaSet {
  find(project, 'service', ids.service_id);
  return find(project, 'replicaSet', ids.replica_set_id, ids.service_id);
}

const stopped: ReadonlySet<string> = new Set(['PAUSING', 'PAUSED', 'RESUMING']);

function plan(incoming: Incoming<unknown>, steps: readonly Step<ReplicaSet>[]): void {
  const { status } = current(incoming);
  const { replica_set_id: id, service_id: parent } = incoming.ids;
  const { status: state = '' } = find(incoming.project, 'service', parent);
  if (stopped.has(state))
    throw conflict(`service ${parent} is ${state}, and its replica sets change when it runs`);
  if (status !== 'active')
    throw conflict(`replica set ${id} is ${status}, and can be changed when it is active`);
  change(incoming.project, 'replicaSet', id, steps);
}
