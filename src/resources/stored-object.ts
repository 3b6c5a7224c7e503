import * as z from 'zod';
import { apiGroup, apiVersion } from './api-group.ts';
import { metadata, type Metadata } from './metadata.ts';
import { readFields } from './read-fields.ts';
import { specProblems, type SpecProblem } from './spec-problem.ts';

/** An object from the API server. It can be reconciled and deleted with any spec. */
export interface StoredObject<Kind extends string, Spec, Status> {
  readonly apiVersion: string;
  readonly kind: Kind;
  readonly metadata: Metadata;
  /** A field that does not match the schema is absent here, and listed in `problems`. */
  readonly spec: Partial<Spec>;
  readonly problems: readonly SpecProblem[];
  readonly status?: Status;
}

const stored = z.object({ metadata, spec: z.unknown().optional(), status: z.unknown().optional() });

/** Reads an object that may have been stored under an older schema. @throws {z.ZodError} only for unreadable metadata */
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
    // Status is the operator's own report. A broken or outdated status must not stop the operator.
    status: readFields(schema.status, object.status).fields,
  };
}
