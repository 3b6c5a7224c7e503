import { vpcId, type VpcId, vpc as wireVpc, type Vpc } from '../../../cloud/wire/vpc.ts';
import { fieldsOf } from '../../decide/pending-change.ts';
import { createPeerings, removeUnwantedPeerings } from './rules/peerings.ts';
import type { ShownVpc } from './situation.ts';
import { managedVpcStatus, type ManagedVpcStatus } from '../../../resources/managed-vpc.ts';
import { readFields } from '../../../resources/stored-object.ts';
import { withMissingFrom, camelCased, onceEach, snakeCased } from '../fields.ts';

/** Peerings have own rules, since each request is recorded before it is sent. */

const field = fieldsOf<ShownVpc, Mirror, VpcId>({
  mirror: ({ resource }) => mirrorOf(resource),
  id: ({ id }) => vpcId.parse(id),
});

const name = field({
  name: 'name',
  path: 'name',
  reason: 'Renaming',
  shown: ({ name: shown }) => shown,
  unset: 'none',
  wanted: ({ object }) => object.spec.name,
  text: String,
  request: (wanted) => `rename the VPC to "${wanted}"`,
  progress: (from, to) => `renaming the VPC from "${from}" to "${to}"`,
  change: (id, wanted) => ({ operation: 'renameVpc', args: [id, { name: wanted }] }),
});

/** In the order in which the changes are made. */
export const vpcChanges = [removeUnwantedPeerings, createPeerings, name];

export type Mirror = NonNullable<ManagedVpcStatus['vpc']>;

const mirror = managedVpcStatus.shape.vpc.unwrap();

/** The VPC in status: every field that the schema of status has. */
export const mirrorOf = onceEach((vpc: Vpc): Mirror => readFields(mirror, camelCased(vpc)).fields);

export function completeVpc(seen: Vpc, shown: Mirror | undefined): Vpc {
  if (!shown) return seen;
  return wireVpc.parse(withMissingFrom(seen, snakeCased(shown)));
}
