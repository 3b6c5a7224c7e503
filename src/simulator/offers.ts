import { BlockList } from 'node:net';
import * as z from 'zod';
import { ApiError } from './api-error.ts';

/** The offers of a simulated cloud. It refuses any other request with 400. */
export interface Offers {
  /** `any` offers all. */
  readonly regions: readonly string[];
  /** Millicores and gigabytes, such as `1000/4`; `any` offers all. The shared size is always there. */
  readonly sizes: readonly string[];
}

export const usualOffers: Offers = {
  regions: ['eu-central-1', 'eu-west-1', 'us-east-1', 'us-west-2'],
  sizes: ['500/2', '1000/4', '2000/8', '4000/16', '8000/32', '16000/64', '32000/128'],
};

const asked = z.object({
  region_code: z.string().optional(),
  cidr: z.string().optional(),
  cpu_millis: z.coerce.string().optional(),
  memory_gbs: z.coerce.string().optional(),
});

const privateNetworks = new BlockList();
privateNetworks.addSubnet('10.0.0.0', 8);
privateNetworks.addSubnet('172.16.0.0', 12);
privateNetworks.addSubnet('192.168.0.0', 16);

/** @throws {ApiError} 400 for a region, a size or an address range that is not on offer */
export function requireOffered({ regions, sizes }: Offers, body: unknown): void {
  const {
    region_code: region,
    cidr,
    cpu_millis: cpu = 'shared',
    memory_gbs: memory = 'shared',
  } = asked.parse(body);
  if (region !== undefined && !isAny(regions) && !regions.includes(region))
    throw notOffered('region_code', region, regions);
  const isShared = cpu === 'shared' || memory === 'shared';
  if (!isShared && !isAny(sizes) && !sizes.includes(`${cpu}/${memory}`))
    throw notOffered('cpu_millis/memory_gbs', `${cpu}/${memory}`, sizes);
  if (cidr !== undefined && !isVpcRange(cidr))
    throw notOffered('cidr', cidr, ['private IPv4 ranges of /16 to /28, such as 10.0.0.0/16']);
}

function isAny(offered: readonly string[]): boolean {
  return offered.includes('any');
}

function isVpcRange(cidr: string): boolean {
  const [address = '', prefix] = cidr.split('/');
  return privateNetworks.check(address) && Number(prefix) >= 16 && Number(prefix) <= 28;
}

function notOffered(field: string, value: string, offered: readonly string[]): ApiError {
  return new ApiError(
    400,
    'invalid_argument',
    `${field}: ${value} is not offered; there are ${offered.join(', ')}`,
  );
}
