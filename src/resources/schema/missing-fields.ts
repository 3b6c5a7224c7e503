import * as z from 'zod';
import type { StructuralSchema } from './to-structural.ts';

/** The part of a schema in the API server that decides which fields are kept. */
export const servedSchema = z.object({
  'x-kubernetes-preserve-unknown-fields': z.boolean().optional(),
  get properties() {
    return z.record(z.string(), servedSchema).optional();
  },
  get items() {
    return servedSchema.optional();
  },
});
type ServedSchema = z.infer<typeof servedSchema>;

/**
 * The API server drops the fields that the served schema lacks.
 * @returns paths such as `spec.password.rotation` or `spec.peerings[].region`, without the fields below a missing field
 */
export function missingFields(
  own: StructuralSchema,
  served: ServedSchema | undefined,
  path: string,
): readonly string[] {
  if (!served) return [path];
  if (served['x-kubernetes-preserve-unknown-fields']) return [];
  if (own.items) return missingFields(own.items, served.items, `${path}[]`);
  return Object.entries(own.properties ?? {}).flatMap(([name, field]) =>
    missingFields(field, served.properties?.[name], `${path}.${name}`),
  );
}
