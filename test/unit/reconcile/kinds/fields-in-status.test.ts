import { expect, test } from 'vitest';
import * as z from 'zod';
import { replicaSet } from '../../../../src/cloud/wire/replica-set.ts';
import { service } from '../../../../src/cloud/wire/service.ts';
import { vpc } from '../../../../src/cloud/wire/vpc.ts';
import { camelCased } from '../../../../src/reconcile/kinds/mirror.ts';
import { kinds, resourceTypes, type Kind } from '../../../../src/resources/managed-object.ts';
import {
  toStructural,
  type StructuralSchema,
} from '../../../../src/resources/schema/to-structural.ts';

/** For each kind, its reply, the field of status that mirrors it, and the fields of the reply that status leaves out. */
const mirrors: Readonly<
  Record<
    Kind,
    { readonly reply: z.ZodObject; readonly field: string; readonly leftOut: readonly string[] }
  >
> = {
  ManagedVpc: { reply: vpc, field: 'vpc', leftOut: ['id'] },
  ManagedService: {
    reply: service,
    field: 'service',
    leftOut: ['serviceId', 'projectId', 'initialPassword', 'metrics', 'readReplicaSets'],
  },
  ReplicaSet: { reply: replicaSet, field: 'replicaSet', leftOut: ['id'] },
};

/** The paths of an example of a reply that a schema of status does not have. */
function missingIn({ properties, items }: StructuralSchema, example: unknown): readonly string[] {
  if (items && Array.isArray(example)) return example.flatMap((each) => missingIn(items, each));
  if (!properties || typeof example !== 'object' || example === null) return [];
  return Object.entries(example).flatMap(([name, below]) => {
    const field = properties[name];
    return field ? missingIn(field, below).map((path) => `${name}.${path}`) : [name];
  });
}

test.each(kinds)(
  'status of a %s has each field of its reply and of the example, and no other',
  (kind) => {
    const { reply, field, leftOut } = mirrors[kind];
    const mirror = toStructural(resourceTypes[kind].described.status).properties?.[field] ?? {};
    const names = Object.keys(reply.shape).map((name) => [name, null] as const);
    const inReply = Object.keys(camelCased(Object.fromEntries(names))).filter(
      (name) => !leftOut.includes(name),
    );
    expect(
      Object.keys(mirror.properties ?? {}).toSorted(),
      `status.${field} of ${kind} in src/resources, beside its reply in src/cloud/wire`,
    ).toEqual(inReply.toSorted());
    const examples = z.array(z.record(z.string(), z.unknown())).parse(reply.meta()?.['examples']);
    expect(examples.length).toBeGreaterThan(0);
    for (const example of examples)
      expect(
        missingIn(mirror, camelCased(example)).filter((path) => !leftOut.includes(path)),
        `status.${field} of ${kind} in src/resources, beside the example in src/cloud/wire`,
      ).toEqual([]);
  },
);
