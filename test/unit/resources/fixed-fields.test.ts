import { expect, test } from 'vitest';
import * as z from 'zod';
import { definitions } from '../../../src/resources/definitions.ts';
import { customResourceDefinition } from '../../../scripts/custom-resource-definition.ts';

const cel = z.object({ rule: z.string(), message: z.string() });
type Cel = z.infer<typeof cel>;

function rulesIn(value: unknown): readonly Cel[] {
  if (Array.isArray(value)) return value.flatMap(rulesIn);
  const fields = z.record(z.string(), z.unknown()).safeParse(value);
  if (!fields.success) return [];
  return Object.entries(fields.data).flatMap(([key, each]) =>
    key === 'x-kubernetes-validations' ? z.array(cel).parse(each) : rulesIn(each),
  );
}

const fixed = definitions.flatMap((definition) =>
  rulesIn(customResourceDefinition(definition))
    .filter(({ rule }) =>
      /== oldSelf\b|== has\(oldSelf\.|has\(oldSelf\.(region|service)/.test(rule),
    )
    .map(({ message }) => [`${definition.kind}: ${message.split(' ')[0]}`, message] as const),
);

test('all fields that are fixed at creation are in the table', () => {
  expect(fixed.map(([name]) => name).toSorted()).toEqual([
    'ManagedService: addons',
    'ManagedService: fork',
    'ManagedService: name',
    'ManagedService: regionCode',
    'ManagedService: regionCode',
    'ManagedVpc: cidr',
    'ManagedVpc: regionCode',
    'ReplicaSet: name',
    'ReplicaSet: nodes',
    'ReplicaSet: serviceId',
    'ReplicaSet: serviceRef',
  ]);
});

// A create that was refused leaves such an object, and its manifest may be in Git.
test.each(fixed)(
  'the refusal of a change of %s names the way for an object without a resource',
  (_, message) => {
    expect(message).toContain('; if this object has no status.id, delete it and apply it again');
    expect(message.length).toBeLessThanOrEqual(200);
  },
);
