import { vpcId, type Vpc } from '../../../cloud/wire/vpc.ts';
import type { ManagedVpc } from '../../../resources/managed-vpc.ts';
import type { ResourceKey } from '../../../runtime/index.ts';
import type { Account } from '../../credentials/accounts.ts';
import type { View } from '../../process/context.ts';
import { observeAdoption } from '../../observe/observe-adoption.ts';
import { observeDeletion } from '../../observe/observe-deletion.ts';
import { observeAttempt } from '../../observe/observe-attempt.ts';
import { observeObject, type Derived } from '../../observe/observe-object.ts';
import { type Place, observeAlone, observeResource, completed } from '../../observe/observe-by-id.ts';
import { sameNames } from '../../observe/same-names.ts';
import { vpcDependents } from './dependents.ts';
import { completeVpc, vpcChanges } from './fields.ts';
import { observePeerings } from './observe-peerings.ts';
import type { VpcSituation } from './situation.ts';
import { pendingChanges } from '../../decide/pending-change.ts';

export async function observeVpc(key: ResourceKey, context: View): Promise<VpcSituation | undefined> {
  const object = context.caches.of('ManagedVpc').get(key);
  if (!object) return undefined;
  const observed = await observeObject(object, 'VPC', context);
  const placeIn = placeOf(object);
  const attempt = await observeAttempt(observed, placeIn, context);
  const seen = await observeResource(observed, placeIn);
  const cloud = completed(seen, observed, (vpc) => completeVpc(vpc, object.status?.vpc));
  const isWanted = (object.spec.peerings ?? []).length > 0 || Object.keys(observed.record.peerings ?? {}).length > 0;
  return vpcSituationOf({
    ...observed,
    object,
    cloud,
    attempt,
    deletion: await observeDeletion(observed, cloud, context, vpcDependents({ ...observed, object }, context)),
    adoption: await observeAdoption(observed, cloud, placeIn, context),
    sameNames: await sameNames(observed, placeIn, context),
    peerings: cloud.state === 'present' && isWanted ? await observePeerings({ ...observed, object }, context) : { state: 'unneeded' },
  });
}

function placeOf({ spec }: ManagedVpc) {
  return ({ observer, project }: Account): Place<Vpc> => {
    return {
      list: observer.vpcs,
      get: (id) => project.getVpc(vpcId.parse(id)),
      fixed: (vpc) => [
        ['spec.cidr', spec.cidr, vpc.cidr],
        ['spec.regionCode', spec.regionCode, vpc.region_code],
      ],
    };
  };
}

/** See {@link KindReconciler.reread}. */
export async function rereadVpc(situation: VpcSituation, { project, observer }: Account): Promise<VpcSituation> {
  const seen = await observeAlone(situation, observer.vpcs, (id) => project.getVpc(vpcId.parse(id), { priority: 'edit' }));
  const cloud = completed(seen, situation, (vpc) => completeVpc(vpc, situation.object.status?.vpc));
  return vpcSituationOf({ ...situation, cloud });
}

/** Pure. A VPC has no state in the cloud, and no environment. */
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
