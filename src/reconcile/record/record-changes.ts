import type { MadePeering, RecordedPeering, ResourceRecord } from './record.ts';

/**
 * The record after the attempt's resource is known: the attempt is closed, and the claim stands. A resource that replaces a lost one does not have that one's
 * peerings or attachment. Its parent, or its fork source, is taken from the request.
 */
export function concluded(record: ResourceRecord, id: string, now: number, outcome: 'created' | 'adopted' = 'created'): ResourceRecord {
  const {
    attempt,
    peerings: _peerings,
    removedPeerings: _removed,
    vpcAttachment: _attachment,
    earlierAttachments: _earlier,
    deletionStarted: _deletion,
    isShared: _shared,
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

/** The record after a failed attempt. All other knowledge is kept. */
export function withoutAttempt({ attempt: _closed, ...rest }: ResourceRecord): ResourceRecord {
  return rest;
}

export function withPeering(record: ResourceRecord, key: string, peering: RecordedPeering | undefined): ResourceRecord {
  const { [key]: _before, ...others } = record.peerings ?? {};
  return { ...record, peerings: peering === undefined ? others : { ...others, [key]: peering } };
}

/** As many as a spec may name at once. */
const mostRemoved = 64;

/** The record after a peering was removed. */
export function withoutRemoved(record: ResourceRecord, key: string, { id }: MadePeering): ResourceRecord {
  return { ...withPeering(record, key, undefined), removedPeerings: [...(record.removedPeerings ?? []), id].slice(-mostRemoved) };
}

/** The record with these attachments, the last one first. */
export function withAttachments(record: ResourceRecord, [last, ...earlier]: readonly string[]): ResourceRecord {
  const { vpcAttachment: _attachment, earlierAttachments: _earlier, ...rest } = record;
  return {
    ...rest,
    ...(last === undefined ? {} : { vpcAttachment: last }),
    ...(earlier.length === 0 ? {} : { earlierAttachments: earlier }),
  };
}

/** The ids of the peerings that the record has. */
export function peeringIds({ peerings = {} }: ResourceRecord): readonly string[] {
  return Object.values(peerings).flatMap((peering) => ('id' in peering ? [peering.id] : []));
}
