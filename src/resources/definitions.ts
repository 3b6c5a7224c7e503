import { perKind, resourceTypes } from './managed-object.ts';
import type { Definition } from './schema/definition.ts';
import { toStructural } from './schema/to-structural.ts';

/** All kinds. CRDs and the field reference are generated from this list. */
export const definitions: readonly Definition[] = Object.values(resourceTypes).map(({ kind, plural, described }) => ({
  ...described,
  kind,
  plural,
}));

/** The schema of a kind's spec, as its CRD has it. */
export const specSchema = perKind((kind) => toStructural(resourceTypes[kind].described.spec, `${kind}.spec`));
