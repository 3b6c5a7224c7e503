import { vpc as wireVpc, type Vpc } from '../../../cloud/wire/vpc.ts';
import { managedVpcStatus, type ManagedVpcStatus } from '../../../resources/managed-vpc.ts';
import { readFields } from '../../../resources/read-fields.ts';
import { withMissingFrom, camelCased, onceEach, snakeCased } from '../mirror.ts';

export type Mirror = NonNullable<ManagedVpcStatus['vpc']>;

const mirror = managedVpcStatus.shape.vpc.unwrap();

/** The VPC in status: every field that the schema of status has. */
export const mirrorOf = onceEach((vpc: Vpc): Mirror => readFields(mirror, camelCased(vpc)).fields);

/** A reply with its missing fields taken from the last status. */
export function completeVpc(seen: Vpc, shown: Mirror | undefined): Vpc {
  if (!shown) return seen;
  return wireVpc.parse(withMissingFrom(seen, snakeCased(shown)));
}
