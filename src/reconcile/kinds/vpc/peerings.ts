import { peering as wirePeering, type Peering } from '../../../cloud/wire/peering.ts';
import type { ReadPeerings, VpcSituation } from './situation.ts';
import { peeringKey, type PeeringAddress } from '../../record/peering-key.ts';
import { snakeCased, withMissingFrom } from '../mirror.ts';

export { peeringKey, type PeeringAddress };

export function keyOfPeering(peering: Peering): string {
  return addressOf(peering).join('/');
}

function addressOf({ peer_account_id, peer_region_code, peer_vpc_id }: Peering): readonly (string | undefined)[] {
  return [peer_account_id, peer_region_code, peer_vpc_id];
}

/** Whether the cloud shows every part of the address. */
export function hasWholeAddress(peering: Peering): boolean {
  return !addressOf(peering).includes(undefined);
}

/** Whether a peering has the address of this key as far as the cloud shows it. A part that the cloud leaves out excludes nothing. */
export function mayHaveKey(peering: Peering, key: string): boolean {
  const shown = addressOf(peering);
  if (hasWholeAddress(peering)) return keyOfPeering(peering) === key;
  const parts = key.split('/');
  return parts.length !== shown.length || parts.every((part, at) => (shown[at] ?? part) === part);
}

/**
 * A peering with the missing parts of its address from what knows it by its id: the record of the one who made it, else the last status. An address never
 * changes.
 */
export function completePeering(seen: Peering, { object, record }: Pick<VpcSituation, 'object' | 'record'>): Peering {
  if (hasWholeAddress(seen)) return seen;
  const [key = ''] = Object.entries(record.peerings ?? {}).find(([, made]) => 'id' in made && made.id === seen.id) ?? [];
  const shown = object.status?.peerings?.find(({ id }) => id === seen.id);
  const { peerAccountId, peerRegionCode, peerVpcId } = addressIn(key) ?? shown ?? {};
  return wirePeering.parse(withMissingFrom(seen, snakeCased({ peerAccountId, peerRegionCode, peerVpcId })));
}

/** The address in a key; undefined if it cannot be told which part is which. */
function addressIn(key: string): PeeringAddress | undefined {
  const [peerAccountId = '', peerRegionCode = '', peerVpcId = '', ...more] = key.split('/');
  const isWhole = peerAccountId !== '' && peerRegionCode !== '' && peerVpcId !== '' && more.length === 0;
  return isWhole ? { peerAccountId, peerRegionCode, peerVpcId } : undefined;
}

/** The peerings that may be at this address. Those that were there before a request are not its answer. */
export function mayBeAt(key: string, { peerings }: Pick<ReadPeerings, 'peerings'>, before: readonly string[] = []): readonly Peering[] {
  return peerings.filter((peering) => !before.includes(peering.id) && mayHaveKey(peering, key));
}

/** The peerings of the spec that neither the record nor the cloud has. */
export function missingPeerings(
  { object, record }: Pick<VpcSituation, 'object' | 'record'>,
  shown: Iterable<Peering>,
): readonly PeeringAddress[] {
  const present = new Set([...shown].map(keyOfPeering));
  return (object.spec.peerings ?? []).filter((peering) => !present.has(peeringKey(peering)) && !record.peerings?.[peeringKey(peering)]);
}

export interface WantedPeering {
  readonly key: string;
  /** Undefined while the cloud does not show the peering. */
  readonly peering: Peering | undefined;
}

const acceptedStates: ReadonlySet<string> = new Set(['active']);
const failedStates: ReadonlySet<string> = new Set(['failed']);

/** Whether the other side has accepted the peering. */
export function isAccepted({ status = '' }: Peering): boolean {
  return acceptedStates.has(status);
}

export function hasFailed({ status = '' }: Peering): boolean {
  return failedStates.has(status);
}

/** The best one comes first, whatever the order of the cloud's list. */
function bestFirst(one: Peering, other: Peering): number {
  return rankOf(one) - rankOf(other) || one.id.localeCompare(other.id);
}

function rankOf(peering: Peering): number {
  return isAccepted(peering) ? 0 : hasFailed(peering) ? 2 : 1;
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
    const found = peerings.peerings.filter((peering) => (id === undefined ? keyOfPeering(peering) === key : peering.id === id));
    return { key, peering: found.toSorted(bestFirst)[0] };
  });
}
