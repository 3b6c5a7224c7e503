import { vpcId } from '../../../cloud/wire/ids.ts';
import { pendingChanges } from '../../decide/pending-change.ts';
import type { Derived } from '../../observe/observe-object.ts';
import { vpcChanges } from './fields.ts';
import type { VpcSituation } from './situation.ts';

/** Completes the observation of a VPC with the values that rules derive from it. Pure. A VPC has no state in the cloud, and no environment. */
export function vpcSituationOf(seen: Omit<VpcSituation, Derived>): VpcSituation {
  const { account, identity, peerings, deletion, object, cloud } = seen;
  const observer = account.state === 'usable' ? account.account.observer : undefined;
  const list = observer?.vpcs;
  const { operation, wanted } = object.status?.lastOperation ?? {};
  const isBeingRenamed = operation === 'renameVpc' && cloud.state === 'present' && cloud.resource.name !== wanted;
  // The peerings show the progress, except during a rename or a deletion.
  const isAboutPeerings = identity.state === 'known' && peerings.state !== 'unneeded' && !deletion.requested && !isBeingRenamed;
  const whole = {
    ...seen,
    state: undefined,
    isAtRest: true,
    environment: undefined,
    list,
    progressList: isAboutPeerings ? observer?.peerings(vpcId.parse(identity.id)) : list,
  };
  return { ...whole, pendingChanges: pendingChanges(vpcChanges, whole) };
}
