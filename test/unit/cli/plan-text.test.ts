import { expect, test } from 'vitest';
import type { ObjectPlan } from '../../../src/cli/plan/plan.ts';
import type { PlannedStep } from '../../../src/cli/plan/step.ts';
import { planJson, planMarkdown, planText } from '../../../src/cli/plan/text.ts';

const step = (
  operation: PlannedStep['operation'],
  text: string,
  more: Partial<ObjectPlan['steps'][number]> = {},
) => ({
  operation,
  changesCloud: true,
  text,
  impact: 'none' as const,
  cause: 'spec' as const,
  ...more,
});
const object = (name: string, more: Partial<ObjectPlan>): ObjectPlan => ({
  kind: 'ManagedService',
  namespace: 'shop',
  name,
  id: `id-${name}`,
  steps: [],
  notes: [],
  end: 'synced',
  reason: 'Available',
  message: 'there',
  ...more,
});

const plans: readonly ObjectPlan[] = [
  object('fresh', {
    id: undefined,
    steps: [step('createService', 'create the service: 1000m/4GB')],
  }),
  object('orders', {
    steps: [
      step('resizeService', 'resize 1000m/4GB -> 2000m/8GB', { impact: 'interruption' }),
      step('disableServicePooler', 'disable the connection pooler', {
        impact: 'endpointChange',
        cause: 'drift',
        held: 'waits for a window at 2026-11-28T01:00:00.000Z',
      }),
    ],
  }),
  object('old', {
    steps: [step('deleteService', 'delete the service with its data', { impact: 'dataLoss' })],
    end: 'gone',
  }),
  object('adopted', {
    steps: [step('adopt', 'adopt service id-adopted as it is', { changesCloud: false })],
  }),
  object('same', {}),
  object('bare', { notes: ['kept: 2 high-availability replicas'] }),
  object('late', {
    end: 'waits',
    reason: 'WaitingForReference',
    message: 'spec.vpcRef "a|b" not found',
  }),
];

test('the text of a plan wraps long messages and notes at 80 columns, and keeps the spaces in them', () => {
  const long = 'spec.serviceRef "two  spaces" is not created in the cloud yet: its status says why';
  const late = object('late', {
    notes: [`the operator keeps two replicas: ${long}`],
    end: 'waits',
    reason: 'WaitingForReference',
    message: long,
  });
  const text = planText([late, { ...late, name: 'odd', end: 'unknown' }]);
  expect(text.split('\n').filter((line) => line.length > 80)).toEqual([]);
  expect(text).toContain(`? msvc/late -n shop (id-late)
    note: the operator keeps two replicas: spec.serviceRef "two  spaces" is not
          created in the cloud yet: its status says why
    waits: WaitingForReference: spec.serviceRef "two  spaces" is not created in
      the cloud yet: its status says why
`);
});

test('the text of a plan has a mark for each object, the steps in order with cause and impact, and a sum', () => {
  expect(planText(plans)).toBe(`+ msvc/fresh -n shop
    1 spec   create the service: 1000m/4GB
~ msvc/orders -n shop (id-orders)
    1 spec   resize 1000m/4GB -> 2000m/8GB  ! may interrupt connections
    2 drift  disable the connection pooler  ! changes the endpoint  (waits for a
             window at 2026-11-28T01:00:00.000Z)
- msvc/old -n shop (id-old)
    1 spec   delete the service with its data  ! DELETES DATA
= msvc/adopted -n shop (id-adopted)
    1 spec   adopt service id-adopted as it is
  msvc/bare -n shop (id-bare)
    note: kept: 2 high-availability replicas
? msvc/late -n shop (id-late)
    waits: WaitingForReference: spec.vpcRef "a|b" not found
Plan: 1 to create, 1 to change, 1 to delete, 1 without a change in the cloud, 2 unchanged, 1 waiting.
Impact: 1 x may interrupt connections, 1 x changes the endpoint, 1 x DELETES DATA.
`);
});

test('the comment for a pull request has a row for each step, and no cell ends early', () => {
  const text = planMarkdown(plans);
  expect(text).toContain(
    '| ~ | msvc/orders (shop) | drift | disable the connection pooler (waits for a window at 2026-11-28T01:00:00.000Z) | changes the endpoint |',
  );
  expect(text).toContain(
    String.raw`- msvc/late (shop) waits: WaitingForReference: spec.vpcRef "a\|b" not found`,
  );
});

test('a note is in the text and in the comment, also of an object without steps', () => {
  const text = planMarkdown(plans);
  expect(text).toContain('- msvc/bare (shop): kept: 2 high-availability replicas');
});

test('the JSON of a plan has everything that the text says', () => {
  const json = planJson(plans);
  expect(JSON.parse(json)).toMatchObject({
    kind: 'Plan',
    objects: JSON.parse(JSON.stringify(plans)) as unknown,
    summary: {
      create: 1,
      change: 1,
      delete: 1,
      adopt: 1,
      unchanged: 2,
      waits: 1,
      impacts: { dataLoss: 1, interruption: 1 },
    },
  });
});
