import type { RecordedPeering, ResourceRecord } from './record.ts';

/** The record once the id is known: the attempt is closed, the claim stands. */
export function concluded(record: ResourceRecord, id: string, now: number): ResourceRecord {
  const { attempt: _closed, ...rest } = record;
  return { ...rest, id, outcome: 'created', claimedAt: new Date(now).toISOString() };
}

export function withPeering(record: ResourceRecord, key: string, peering: RecordedPeering | undefined): ResourceRecord {
  const { [key]: _before, ...others } = record.peerings ?? {};
  return { ...record, peerings: peering === undefined ? others : { ...others, [key]: peering } };
}
