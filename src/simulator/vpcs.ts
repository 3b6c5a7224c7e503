import { peeringId } from '../cloud/wire/peering.ts';
import { vpcId } from '../cloud/wire/vpc.ts';
import { conflict } from './api-error.ts';
import { takes, type Handler } from './handler.ts';
import { newNumericId, newServiceId } from './names.ts';
import type { Project } from './project.ts';
import { vpcOf } from './services.ts';
import { change, create, find, list, remove } from './store.ts';

export const vpcHandlers = {
  listVpcs: ({ project, listTime }) => list(project, 'vpc', listTime),
  createVpc: takes('CreateVpc', ({ project, body }) => {
    const id = vpcId.parse(newNumericId());
    return create(project, 'vpc', { id, first: { id, ...body }, name: body.name });
  }),
  getVpc: ({ project, ids }) => find(project, 'vpc', ids.vpc_id),
  renameVpc: takes('RenameVpc', ({ project, ids, body }) => {
    find(project, 'vpc', ids.vpc_id);
    change(project, 'vpc', ids.vpc_id, [
      { afterMs: 0, change: (vpc) => ({ ...vpc, name: body.name }) },
    ]);
    return find(project, 'vpc', ids.vpc_id);
  }),
  deleteVpc({ project, ids: { vpc_id: id } }) {
    find(project, 'vpc', id);
    const attached = attachedTo(project, id);
    if (attached !== undefined)
      throw conflict(`VPC ${id} is in use: service ${attached} is attached to it`);
    remove(project, 'vpc', id);
    for (const [peering, { parentId }] of project.stores.peering)
      if (parentId === id) remove(project, 'peering', peering);
  },

  listPeerings({ project, ids, listTime }) {
    find(project, 'vpc', ids.vpc_id);
    return list(project, 'peering', listTime, ids.vpc_id);
  },
  createPeering: takes('CreatePeering', ({ project, ids, body }) => {
    find(project, 'vpc', ids.vpc_id);
    const id = peeringId.parse(newNumericId());
    return create(project, 'peering', {
      id,
      first: { id, ...body, provisioned_id: `pcx-${newServiceId()}`, status: 'pending' },
      steps: [
        { afterMs: project.latencyMs, change: (peering) => ({ ...peering, status: 'active' }) },
      ],
      parentId: ids.vpc_id,
    });
  }),
  getPeering({ project, ids }) {
    find(project, 'vpc', ids.vpc_id);
    return find(project, 'peering', ids.peering_id, ids.vpc_id);
  },
  deletePeering({ project, ids }) {
    find(project, 'vpc', ids.vpc_id);
    find(project, 'peering', ids.peering_id, ids.vpc_id);
    remove(project, 'peering', ids.peering_id);
  },
} as const satisfies Readonly<Record<string, Handler>>;

/** The service that holds this VPC: attached, or being attached or detached. */
function attachedTo({ stores, clock }: Project, vpc: string): string | undefined {
  const now = clock.now();
  for (const [id, { timeline }] of stores.service) {
    const holds = [now, Number.POSITIVE_INFINITY].some(
      (time) => vpcOf(timeline.at(time) ?? {}) === vpc,
    );
    if (timeline.at(now) && holds) return id;
  }
  return undefined;
}
