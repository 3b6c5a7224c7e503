import type { ManagedVpc } from '../../../resources/managed-vpc.ts';
import type { ResourceRecord } from '../../record/record.ts';
import { peeringKey } from './peering-key.ts';

/** The peerings that this object created, from its status. Used if the record is lost. */
export function madePeerings({ status }: ManagedVpc): Pick<ResourceRecord, 'peerings'> {
  const made = (status?.peerings ?? []).flatMap(({ managed, id, peerAccountId = '', peerRegionCode = '', peerVpcId = '' }) =>
    managed === true && id !== undefined ? [[peeringKey({ peerAccountId, peerRegionCode, peerVpcId }), { id }] as const] : [],
  );
  return made.length === 0 ? {} : { peerings: Object.fromEntries(made) };
}
