import type { Peering } from '../../../cloud/wire/vpc.ts';
import { keyOfPeering, peeringKey } from './peering-key.ts';
import type { VpcSituation } from './situation.ts';

export interface WantedPeering {
  readonly key: string;
  /** Undefined while the cloud does not show the peering. */
  readonly peering: Peering | undefined;
}

/** The peerings of the spec with their state in the cloud. They are found by the recorded id, or by their address if there is none. */
export function wantedPeerings({
  object,
  peerings,
  record,
}: Pick<VpcSituation, 'object' | 'peerings' | 'record'>): readonly WantedPeering[] {
  if (peerings.state !== 'read') return [];
  return (object.spec.peerings ?? []).map((spec) => {
    const key = peeringKey(spec);
    const recorded = record.peerings?.[key];
    const id = recorded && 'id' in recorded ? recorded.id : undefined;
    return { key, peering: peerings.peerings.find((peering) => (id === undefined ? keyOfPeering(peering) === key : peering.id === id)) };
  });
}
