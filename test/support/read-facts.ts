import * as z from 'zod';
import { CloudError, type CloudErrorDetails } from '../../src/cloud/cloud-error.ts';
import type { Facts } from '../../src/reconcile/situation/situation.ts';

const tagged = z.looseObject({
  $map: z.unknown().optional(),
  $set: z.unknown().optional(),
  $cloudError: z.unknown().optional(),
});

/** The facts in the debug line of a visit. */
export function readFacts(json: unknown): Facts {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a line of this version
  return revived(json) as Facts;
}

function revived(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(revived);
  const { $map, $set, $cloudError } = tagged.parse(value);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as `factsJson` writes it
  if (Array.isArray($map)) return new Map(revived($map) as [unknown, unknown][]);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as `factsJson` writes it
  if (Array.isArray($set)) return new Set(revived($set) as unknown[]);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as `factsJson` writes it
  if ($cloudError !== undefined) return new CloudError($cloudError as CloudErrorDetails);
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, revived(part)]));
}
