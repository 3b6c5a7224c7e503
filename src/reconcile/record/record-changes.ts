import type { RecordedPeering, ResourceRecord } from './record.ts';

/**
 * The record once the attempt's resource is known: the attempt is closed, the claim stands. What took the place of a lost resource has neither its
 * peerings nor its attachment. Where it hangs, and what it was copied from, is in the request.
 */
export function concluded(record: ResourceRecord, id: string, now: number): ResourceRecord {
  const { attempt, id: lost, peerings: _peerings, vpcAttachment: _attachment, ...rest } = record;
  const { operation, parentId, sourceId } = attempt?.request ?? {};
  const hasPassword = operation === 'createService' || operation === 'forkService';
  return {
    ...rest,
    id,
    outcome: 'created',
    claimedAt: new Date(now).toISOString(),
    ...(lost === undefined ? {} : { replaces: lost }),
    ...(hasPassword ? { password: 'managed' } : {}),
    ...(typeof parentId === 'string' ? { parentServiceId: parentId } : {}),
    ...(typeof sourceId === 'string' ? { forkSourceId: sourceId } : {}),
  };
}

/** The record when nothing came of the attempt: all that was known before is known still. */
export function withoutAttempt({ attempt: _closed, ...rest }: ResourceRecord): ResourceRecord {
  return rest;
}

export function withPeering(record: ResourceRecord, key: string, peering: RecordedPeering | undefined): ResourceRecord {
  const { [key]: _before, ...others } = record.peerings ?? {};
  return { ...record, peerings: peering === undefined ? others : { ...others, [key]: peering } };
}
