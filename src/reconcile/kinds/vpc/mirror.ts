import { vpc as wireVpc, type Vpc } from '../../../cloud/wire/vpc.ts';
import type { ManagedVpcStatus } from '../../../resources/managed-vpc.ts';
import { asBefore } from '../../observe/as-before.ts';

export type Mirror = NonNullable<ManagedVpcStatus['vpc']>;

/** The VPC in status. Undefined means absent. */
export function mirrorOf({ name, cidr, region_code: regionCode }: Vpc): Mirror {
  return { name, cidr, regionCode };
}

/** A reply with its missing fields taken from the last status. */
export function wholeVpc(seen: Vpc, shown: Mirror | undefined): Vpc {
  if (!shown) return seen;
  return wireVpc.parse(asBefore(seen, { name: shown.name, cidr: shown.cidr, region_code: shown.regionCode }));
}
