import { peeringId, vpcId } from '../cloud/wire/ids.ts';
import type { Peering, Vpc } from '../cloud/wire/vpc.ts';
import { conflict, notFound } from './api-error.ts';
import { newNumericId, newServiceId } from './names.ts';
import { present, remember, type Project } from './project.ts';
import type { CreatePeeringBody, CreateVpcBody } from './request-bodies.ts';
import { isAttachedTo, markDeleted } from './services.ts';
import { timeline } from './timeline.ts';

export function listVpcs(project: Project, time: number): readonly Vpc[] {
  return [...project.vpcs.values()].map((vpc) => vpc.at(time)).filter((vpc) => vpc !== undefined);
}

export function getVpc(project: Project, id: string): Vpc {
  const vpc = project.vpcs.get(id)?.at(project.clock.now());
  if (!vpc) throw notFound('VPC', id);
  return vpc;
}

export function createVpc(project: Project, body: CreateVpcBody): Vpc {
  const id = vpcId.parse(newNumericId());
  const vpc: Vpc = { id, ...body };
  project.vpcs.set(id, timeline(project.clock.now(), vpc));
  remember(project, 'vpc', id, body.name);
  return vpc;
}

export function renameVpc(project: Project, id: string, name: string): Vpc {
  getVpc(project, id);
  project.vpcs.get(id)?.plan(project.clock.now(), [{ afterMs: 0, change: (vpc) => ({ ...vpc, name }) }]);
  return getVpc(project, id);
}

export function deleteVpc(project: Project, id: string): void {
  getVpc(project, id);
  const attached = isAttachedTo(project, id);
  if (attached !== undefined) throw conflict(`VPC ${id} is in use: service ${attached} is attached to it`);
  const now = project.clock.now();
  project.vpcs.get(id)?.plan(now, [{ afterMs: 0, change: () => undefined }]);
  markDeleted(project, id, now);
  for (const [peering, { vpcId: parent }] of project.peerings) {
    if (parent === id) takeAway(project, peering);
  }
}

export function listPeerings(project: Project, id: string, time: number): readonly Peering[] {
  getVpc(project, id);
  return present(
    [...project.peerings.values()].filter((peering) => peering.vpcId === id),
    time,
  );
}

export function getPeering(project: Project, id: string, peering: string): Peering {
  getVpc(project, id);
  const kept = project.peerings.get(peering);
  const seen = kept?.vpcId === id ? kept.timeline.at(project.clock.now()) : undefined;
  if (!seen) throw notFound('peering', peering);
  return seen;
}

export function createPeering(project: Project, id: string, body: CreatePeeringBody): Peering {
  getVpc(project, id);
  const now = project.clock.now();
  const made: Peering = { id: peeringId.parse(newNumericId()), ...body, provisioned_id: `pcx-${newServiceId()}`, status: 'pending' };
  const kept = timeline(now, made);
  kept.plan(now, [{ afterMs: project.latencyMs, change: (peering) => ({ ...peering, status: 'active' }) }]);
  project.peerings.set(made.id ?? '', { vpcId: id, timeline: kept });
  remember(project, 'peering', made.id ?? '', undefined, id);
  return getPeering(project, id, made.id ?? '');
}

export function deletePeering(project: Project, id: string, peering: string): void {
  getPeering(project, id, peering);
  takeAway(project, peering);
}

function takeAway(project: Project, peering: string): void {
  const now = project.clock.now();
  project.peerings.get(peering)?.timeline.plan(now, [{ afterMs: 0, change: () => undefined }]);
  markDeleted(project, peering, now);
}
