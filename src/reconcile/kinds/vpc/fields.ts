import { vpcId, type VpcId } from '../../../cloud/wire/ids.ts';
import { fieldsOf } from '../../decide/field.ts';
import { mirrorOf, type Mirror } from './mirror.ts';
import { createPeerings } from './rules/create-peerings.ts';
import { removeUnwantedPeerings } from './rules/remove-unwanted-peerings.ts';
import type { VpcSituation } from './situation.ts';

/** The values of a VPC that its spec may change. Its peerings are changed by rules of their own: they write down first what they ask for. */

const field = fieldsOf<VpcSituation, Mirror, VpcId>({
  mirror: ({ cloud }) => (cloud.state === 'present' ? mirrorOf(cloud.resource) : undefined),
  id: ({ identity }) => (identity.state === 'known' ? vpcId.parse(identity.id) : undefined),
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

/** What a spec may ask of a VPC that exists, in the order in which it is done. */
export const vpcChanges = [removeUnwantedPeerings, createPeerings, name];
