import { expect, test } from 'vitest';
import { creates, deletes, type PlannedStep } from '../../../src/cli/plan/step.ts';

test.each<[PlannedStep['operation'], 'create' | 'delete' | 'neither']>([
  ['createVpc', 'create'],
  ['createService', 'create'],
  ['forkService', 'create'],
  ['createReplicaSet', 'create'],
  ['createPeering', 'neither'],
  ['deleteVpc', 'delete'],
  ['deleteService', 'delete'],
  ['deleteReplicaSet', 'delete'],
  ['deletePeering', 'neither'],
  ['resizeService', 'neither'],
  ['adopt', 'neither'],
  ['release', 'neither'],
  ['dropConnections', 'neither'],
])('the step %s counts in a plan as: %s', (operation, expected) => {
  const counted = creates(operation) ? 'create' : deletes(operation) ? 'delete' : 'neither';
  expect(counted).toBe(expected);
});
