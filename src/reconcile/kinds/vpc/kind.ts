import { managedVpcs } from '../../../resources/managed-vpc.ts';
import { camelCased } from '../mirror.ts';
import type { KindReconciler } from '../kind.ts';
import { vpcChanges } from './fields.ts';
import { observeVpc, rereadVpc } from './observe.ts';
import { vpcSituationOf } from './situation-of.ts';
import { driftFieldsOf } from '../../decide/pending-change.ts';
import { peeringIds } from '../../ledger/record.ts';
import { isAccepted, wantedPeerings } from './peering-plan.ts';
import type { VpcFacts, VpcSituation } from './situation.ts';
import { vpcId, type Vpc } from '../../../cloud/wire/vpc.ts';
import { policy } from '../../decide/policy.ts';
import {
  awaitPeerings,
  createVpc,
  peeringsReady,
  ready,
  removePeerings,
  vpcExists,
} from './rules/lifecycle.ts';

/** The whole policy of a VPC. Pure. */
export const decideVpc = policy<Vpc, VpcSituation>({
  deleting: {
    states: [],
    deletion: ({ id }) => ({ operation: 'deleteVpc', args: [vpcId.parse(id)] }),
    before: [removePeerings],
  },
  missing: { adopted: () => ({}), create: createVpc },
  existing: {
    waits: [awaitPeerings, peeringsReady],
    ready,
  },
});

/** The parts of a visit that differ for a VPC. */
export const vpcKind: KindReconciler<VpcSituation, VpcFacts> = {
  type: managedVpcs,
  list: (lists) => lists.vpcs,
  observe: observeVpc,
  reread: rereadVpc,
  situationOf: vpcSituationOf,
  decide: decideVpc,
  driftFields: ({ mirror }) => (mirror ? driftFieldsOf(vpcChanges, mirror) : {}),
  serving: () => ({ reason: 'Available', message: vpcExists }),
  mirror(situation) {
    const { mirror: vpc, peerings } = situation;
    if (!vpc) return {};
    return { vpc, ...(peerings.state === 'unknown' ? {} : peeringMirror(situation)) };
  },
};

function peeringMirror(situation: VpcSituation) {
  const { peerings, record, object } = situation;
  if (peerings.state !== 'read') return { peerings: undefined, peeringSummary: undefined };
  const ours: readonly (string | undefined)[] = peeringIds(record);
  const wanted = wantedPeerings(situation);
  const active = wanted.filter(({ peering }) => peering && isAccepted(peering)).length;
  return {
    peeringSummary:
      (object.spec.peerings ?? []).length === 0 ? undefined : `${active}/${wanted.length} active`,
    peerings: peerings.peerings.map((peering) => ({
      ...camelCased(peering),
      managed: ours.includes(peering.id),
    })),
  };
}
