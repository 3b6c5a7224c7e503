import { perKind, resourceTypes } from './managed-object.ts';
import type { Definition } from './schema/definition.ts';
import { toStructural } from './schema/to-structural.ts';

export const definitions: readonly Definition[] = Object.values(resourceTypes).map(
  ({ kind, plural, described }) => ({
    ...described,
    kind,
    plural,
  }),
);

export const specSchema = perKind((kind) => toStructural(resourceTypes[kind].described.spec));
