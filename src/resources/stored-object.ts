import * as z from 'zod';
import { apiGroup, apiVersion } from './api-group.ts';
import { metadata, type Metadata } from './metadata.ts';
import { readFields } from './read-fields.ts';
import { specProblems, type SpecProblem } from './spec-problem.ts';

/** An object as the API server has it: whatever stands in its spec, it can be worked on and deleted. */
export interface StoredObject<Kind extends string, Spec, Status> {
  readonly apiVersion: string;
  readonly kind: Kind;
  readonly metadata: Metadata;
  /** What could be read. A field that is not what the schema says is left out, and is one of the problems. */
  readonly spec: Partial<Spec>;
  readonly problems: readonly SpecProblem[];
  readonly status?: Status;
}

const stored = z.object({ metadata, spec: z.unknown().optional(), status: z.unknown().optional() });

/** Reads an object that the API server has stored, perhaps under an older schema. @throws {z.ZodError} only when its metadata is none */
export function storedObject<Kind extends string, Spec extends z.ZodObject, Status extends z.ZodObject>(
  kind: Kind,
  schema: { readonly spec: Spec; readonly status: Status },
  value: unknown,
): StoredObject<Kind, z.output<Spec>, Partial<z.output<Status>>> {
  const object = stored.parse(value);
  const { fields, issues } = readFields(schema.spec, object.spec ?? {});
  return {
    apiVersion: `${apiGroup}/${apiVersion}`,
    kind,
    metadata: object.metadata,
    spec: fields,
    problems: specProblems(issues, object.spec),
    // Status is the operator's own report: neither an old version's nor a tampered one may keep it from working.
    status: readFields(schema.status, object.status).fields,
  };
}
