import type { Vpc } from '../../../cloud/wire/vpc.ts';
import { policy } from '../../decide/policy.ts';
import { awaitPeerings, peeringsReady, resolvePeerings } from './rules/peerings.ts';
import { create } from './rules/create.ts';
import { ready } from './rules/ready.ts';
import { removePeerings } from './rules/remove-peerings.ts';
import { madePeerings } from './peerings.ts';
import type { VpcSituation } from './situation.ts';

/** The policy of a ManagedVpc, beside the shared policy. A VPC has no password, and so no connection Secret. */
export const decideVpc = policy<Vpc, VpcSituation>({
  always: { recordParts: ({ object }) => madePeerings(object) },
  deleting: { before: [removePeerings] },
  missing: { adopted: () => ({}), create },
  existing: {
    beforeChanges: [resolvePeerings],
    waits: [awaitPeerings, peeringsReady],
    ready,
  },
});
