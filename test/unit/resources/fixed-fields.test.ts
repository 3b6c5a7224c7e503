import { expect, test } from 'vitest';
import * as z from 'zod';
import { definitions } from '../../../src/resources/definitions.ts';
import { replicaSet } from '../../../src/cloud/wire/replica-set.ts';
import { service } from '../../../src/cloud/wire/service.ts';
import { vpc } from '../../../src/cloud/wire/vpc.ts';
import { fixedOfReplicaSet } from '../../../src/reconcile/kinds/replica-set/observe.ts';
import { fixedOfService } from '../../../src/reconcile/kinds/service/observe.ts';
import { fixedOfVpc } from '../../../src/reconcile/kinds/vpc/observe.ts';
import type { FixedFields } from '../../../src/reconcile/observe/observe-by-id.ts';
import { kinds, type Kind } from '../../../src/resources/managed-object.ts';
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

/** For each kind, an object and a reply that differ in each field that an adoption compares. */
const adoptions: Readonly<
  Record<Kind, { readonly compared: FixedFields; readonly uncompared: Record<string, string> }>
> = {
  ManagedVpc: {
    compared: fixedOfVpc(
      { cidr: 'wanted cidr', regionCode: 'wanted regionCode' },
      vpc.parse({ id: 'vpc-1', cidr: 'actual cidr', region_code: 'actual regionCode' }),
    ),
    uncompared: {},
  },
  ManagedService: {
    compared: fixedOfService(
      { name: 'wanted name', regionCode: 'wanted regionCode' },
      service.parse({
        service_id: 'svc-1',
        name: 'actual name',
        region_code: 'actual regionCode',
      }),
    ),
    uncompared: {
      addons: 'a reply shows no addons',
      fork: 'it is read once, at creation',
    },
  },
  ReplicaSet: {
    compared: fixedOfReplicaSet(
      { name: 'wanted name', nodes: 2 },
      replicaSet.parse({ id: 'rs-1', name: 'actual name', nodes: 3 }),
    ),
    uncompared: {
      serviceId: 'the list of this service shows the replica set',
      serviceRef: 'the list of this service shows the replica set',
    },
  },
};

test.each(kinds)(
  'an adoption by a %s compares each fixed field of its CRD, or this table has the reason against it',
  (kind) => {
    const { compared, uncompared } = adoptions[kind];
    const inCrd = fixed.flatMap(([name]) => {
      const [of, field = ''] = name.split(': ');
      return of === kind ? [field] : [];
    });
    const known = [
      ...compared.map(([field]) => field.slice('spec.'.length)),
      ...Object.keys(uncompared),
    ];
    expect(
      known.toSorted(),
      `${kind}: the fields of fixed… in src/reconcile/kinds, or of uncompared`,
    ).toEqual([...new Set(inCrd)].toSorted());
  },
);

test.each(
  kinds.flatMap((kind) => adoptions[kind].compared.map((field) => [kind, ...field] as const)),
)('an adoption by a %s compares %s with the same field of the reply', (_, path, wanted, actual) => {
  const field = path.slice('spec.'.length);
  expect([wanted, actual]).toEqual(
    field === 'nodes' ? [2, 3] : [`wanted ${field}`, `actual ${field}`],
  );
});
