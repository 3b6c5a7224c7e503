import type { RecordedPeering } from '../../../../../src/resources/ledger-entry.ts';
import { changing } from '../../../../support/steps.ts';
import { CloudError } from '../../../../../src/cloud/cloud-error.ts';
import { peeringId, type Peering } from '../../../../../src/cloud/wire/peering.ts';
import type { VpcSituation } from '../../../../../src/reconcile/kinds/vpc/situation.ts';
import type { PeeringAddress } from '../../../../../src/reconcile/ledger/record.ts';
import type { ExpectedStep } from '../../../../support/step-like.ts';
import { noon } from '../../../../support/situation.ts';
import { vpcSituation, type GivenVpc } from '../../../../support/situation-of-others.ts';

/** Two networks elsewhere. Their keys are `1/eu/a` and `2/eu/b`. */
export const a: PeeringAddress = { peerAccountId: '1', peerRegionCode: 'eu', peerVpcId: 'a' };
export const b: PeeringAddress = { peerAccountId: '2', peerRegionCode: 'eu', peerVpcId: 'b' };

/** A peering as the cloud shows it; active. */
export function peering(id: string, to: PeeringAddress, more: Partial<Peering> = {}): Peering {
  const { peerAccountId, peerRegionCode, peerVpcId } = to;
  return {
    id: peeringId.parse(id),
    status: 'active',
    peer_account_id: peerAccountId,
    peer_region_code: peerRegionCode,
    peer_vpc_id: peerVpcId,
    ...more,
  };
}

export interface GivenPeerings extends GivenVpc {
  readonly wanted?: readonly PeeringAddress[];
  readonly recorded?: Readonly<Record<string, RecordedPeering>>;
  readonly shown?: readonly Peering[];
  /** How the list of peerings was read. */
  readonly read?: Partial<Extract<VpcSituation['peerings'], { state: 'read' }>>;
}

/** A VPC that is as wanted but for its peerings: those of the spec, of the record, and of the cloud's list. */
export function withPeerings({
  wanted = [],
  recorded = {},
  shown = [],
  read,
  ...given
}: GivenPeerings): VpcSituation {
  return vpcSituation({
    peerings: {
      state: 'read',
      peerings: shown,
      open: [],
      listed: new Set<string>(),
      acceptedAt: new Map(),
      asOf: noon,
      since: noon,
      ...read,
    },
    ...given,
    spec: { peerings: wanted, ...given.spec },
    record: { peerings: { ...recorded }, ...given.record },
  });
}

/** A request for a peering without an answer. */
export const unanswered: RecordedPeering = { pendingSince: '2026-11-21T09:59:30.000Z' };

/** That the cloud accepted to remove a peering, so many milliseconds ago. */
export function removalOf(id: string, agoMs = 5_000): VpcSituation['lastOperation'] {
  return { operation: 'deletePeering', wanted: id, at: noon - agoMs };
}

/** The report of a repeated DELETE: the DELETE half a minute before noon had no effect. */
export function inVain(thing: string): object {
  const message = `the cloud still shows ${thing}, which it was asked to delete at 2026-11-21T11:59:30.000Z: delete it there, or ask the cloud's support; the operator retries`;
  return { type: 'stall', reason: 'NotApplied', message, retryAfterMs: 30_000 };
}

/** Peerings that the key may not list. */
export const unreadable: VpcSituation['peerings'] = {
  state: 'unknown',
  error: new CloudError({
    operation: 'listPeerings',
    kind: 'forbidden',
    status: 403,
    sent: true,
    fromApi: true,
  }),
};
export const unread: ExpectedStep = {
  type: 'keep',
  delayedReport: { type: 'stall', reason: 'Unauthorized', retryAfterMs: 60_000 },
  message: 'show the peerings of the VPC',
};

/** Writes the record with these peerings, and all else as it was. */
export function recordWith(peerings: VpcSituation['record']['peerings']) {
  return { type: 'writeRecord', record: { ...vpcSituation().record, peerings } };
}

/** The step for the value `new` of `spec.name`. */
export const renaming: ExpectedStep = {
  type: 'call',
  reason: 'Renaming',
  action: changing('renameVpc', ['vpc-1', { name: 'new' }], 'prod', 'new'),
  message: 'renaming the VPC from "prod" to "new"',
};
