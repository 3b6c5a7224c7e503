import { vpcId, type VpcId } from '../../../cloud/wire/vpc.ts';
import { fieldsOf } from '../../decide/field.ts';
import { mirrorOf, type Mirror } from './mirror.ts';
import { createPeerings } from './rules/peerings.ts';
import { removeUnwantedPeerings } from './rules/remove-peerings.ts';
import type { ShownVpc } from './situation.ts';

/** The values of a VPC that its spec may change. Peerings have rules of their own, since each request is recorded before it is sent. */

const field = fieldsOf<ShownVpc, Mirror, VpcId>({
  mirror: ({ resource }) => mirrorOf(resource),
  id: ({ id }) => vpcId.parse(id),
});

const name = field({
  name: 'name',
  path: 'name',
  reason: 'Renaming',
  operations: ['renameVpc'],
  shown: ({ name: shown }) => shown,
  unset: 'none',
  wanted: ({ object }) => object.spec.name,
  text: String,
  request: (wanted) => `rename the VPC to "${wanted}"`,
  progress: (wanted, from) => `renaming the VPC from "${from}" to "${wanted}"`,
  change: (id, wanted) => ({ operation: 'renameVpc', args: [id, { name: wanted }] }),
});

/** The changes of an existing VPC, in the order in which they are made. */
export const vpcChanges = [removeUnwantedPeerings, createPeerings, name];
