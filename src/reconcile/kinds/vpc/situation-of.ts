import { pendingChanges } from '../../decide/pending-change.ts';
import { ownStatus } from '../../situation/history.ts';
import { mirrorOf, vpcChanges } from './fields.ts';
import type { VpcFacts, VpcSituation } from './situation.ts';

/** Pure. A VPC has no state in the cloud, and no environment. */
export function vpcSituationOf(facts: VpcFacts): VpcSituation {
  const { cloud } = facts;
  const whole = {
    ...facts,
    mirror: cloud.state === 'present' ? mirrorOf(cloud.resource, ownStatus(facts)?.vpc) : undefined,
    state: undefined,
    isAtRest: true,
    environment: undefined,
  };
  return { ...whole, pendingChanges: pendingChanges(vpcChanges, whole) };
}
