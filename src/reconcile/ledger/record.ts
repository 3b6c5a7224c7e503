import type { RecordedPeering, ResourceRecord } from '../../resources/ledger-entry.ts';

/**
 * The record after the attempt's resource is known. A replacement does not have the peerings, the attachment or the
 * origin of the lost resource.
 */
export function concluded(
  record: ResourceRecord,
  id: string,
  now: number,
  outcome: 'created' | 'adopted' = 'created',
): ResourceRecord {
  const {
    attempt,
    peerings: _peerings,
    vpcAttachment: _attachment,
    deletionStarted: _deletion,
    isShared: _shared,
    isRestored: _former,
    ...rest
  } = record;
  const { parentId, sourceId } = attempt?.request ?? {};
  return {
    ...rest,
    id,
    outcome,
    claimedAt: new Date(now).toISOString(),
    ...(typeof parentId === 'string' ? { parentServiceId: parentId } : {}),
    ...(typeof sourceId === 'string' ? { forkSourceId: sourceId } : {}),
  };
}

/** The record after a create is closed without a resource. */
export function withoutAttempt({ attempt: _closed, ...rest }: ResourceRecord): ResourceRecord {
  return rest;
}

/** Whether the record is about a resource, or about a create that may have made a resource. */
export function hasResource({ id, attempt }: ResourceRecord): boolean {
  return id !== undefined || attempt !== undefined;
}

/** The record with this peering. Undefined removes the peering. */
export function withPeering(
  record: ResourceRecord,
  key: string,
  peering: RecordedPeering | undefined,
): ResourceRecord {
  const { [key]: _before, ...others } = record.peerings ?? {};
  return { ...record, peerings: peering === undefined ? others : { ...others, [key]: peering } };
}

/** The record with the id of the VPC that the operator attached. Undefined removes the id. */
export function withAttachment(
  { vpcAttachment: _before, ...rest }: ResourceRecord,
  id: string | undefined,
): ResourceRecord {
  return id === undefined ? rest : { ...rest, vpcAttachment: id };
}

/** The ids of the recorded peerings, without the requests that have no answer. */
export function peeringIds({ peerings = {} }: ResourceRecord): readonly string[] {
  return Object.values(peerings).flatMap((peering) => ('id' in peering ? [peering.id] : []));
}

/** A resource, or a peering of the resource. */
export type ShownAs = 'resource' | 'peering';

/** The id with its kind: the ids of VPCs and peerings are independent, so both may have the same id. */
export function shownAs(of: ShownAs, id: string): string {
  return `${of} ${id}`;
}

/** The other side of a peering. It identifies the peering in the spec. */
export interface PeeringAddress {
  readonly peerAccountId: string;
  readonly peerRegionCode: string;
  readonly peerVpcId: string;
}

/** The key of a peering in the record and in messages. */
export function peeringKey({ peerAccountId, peerRegionCode, peerVpcId }: PeeringAddress): string {
  return `${peerAccountId}/${peerRegionCode}/${peerVpcId}`;
}

/** Lists may lag a write by this time. (docs/safety.md, Changing) */
export const listLagMs = 10_000;
