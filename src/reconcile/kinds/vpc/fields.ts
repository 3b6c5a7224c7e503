import { vpcId, type VpcId, type Vpc } from '../../../cloud/wire/vpc.ts';
import { fieldsOf } from '../../decide/pending-change.ts';
import { createPeerings, removeUnwantedPeerings } from './rules/lifecycle.ts';
import type { Mirror, ShownVpc } from './situation.ts';
import { managedVpcStatus } from '../../../resources/managed-vpc.ts';
import { readFields } from '../../../resources/stored-object.ts';
import { inStatus } from '../mirror.ts';

/** Peerings have own rules, since each request is recorded before it is sent. */

const field = fieldsOf<ShownVpc, VpcId>(({ id }) => vpcId.parse(id));

const name = field(
  {
    name: 'name',
    path: 'name',
    reason: 'Renaming',
    unset: 'none',
    text: String,
    request: (wanted: string) => `rename the VPC to "${wanted}"`,
    progress: (from, to) => `renaming the VPC from "${from}" to "${to}"`,
  },
  {
    shown: ({ name: shown }) => shown,
    wanted: ({ object }) => object.spec.name,
    operations: ['renameVpc'],
    change: (id, wanted) => ({ operation: 'renameVpc', args: [id, { name: wanted }] }),
  },
);

/** The changes of a VPC, in the order in which they are made. */
export const vpcChanges = [removeUnwantedPeerings, createPeerings, name];

const mirror = managedVpcStatus.shape.vpc.unwrap();

/** The resource as status shows it. A part that the reply lacks stays as it was before. */
export function mirrorOf(vpc: Vpc, before: Mirror = {}): Mirror {
  return readFields(mirror, inStatus(vpc, before)).fields;
}
