import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { operatorMetrics } from '../../src/operator/metrics.ts';

const ours = /\b(?:managed_db|leader_election)_\w+?(?=_(?:bucket|sum|count)\b|\b)/gu;

test('what is counted is what the page on operation says, with these labels', async () => {
  const metrics = operatorMetrics();
  metrics.cloudCall({ operation: 'createService', outcome: 'conflict', durationMs: 12 });
  metrics.visit('ManagedService', 1_500, false);
  metrics.visit('ManagedService', 20, true);
  metrics.abandoned('ManagedVpc');
  metrics.leads('managed-db-operator', true);
  metrics.leads('other', false);
  const { text, contentType } = await metrics.text();
  expect(contentType).toContain('text/plain');
  expect(text).toContain('managed_db_cloud_calls_total{operation="createService",outcome="conflict"} 1\n');
  expect(text).toContain('managed_db_reconcile_duration_seconds_sum{kind="ManagedService",result="done"} 1.5\n');
  expect(text).toContain('managed_db_reconcile_duration_seconds_count{kind="ManagedService",result="error"} 1\n');
  expect(text).toContain('managed_db_abandoned_total{kind="ManagedVpc"} 1\n');
  expect(text).toContain('leader_election_master_status{name="managed-db-operator"} 1\n');
  expect(text).toContain('leader_election_master_status{name="other"} 0\n');
  const page = await readFile(new URL('../../docs/operations.md', import.meta.url), 'utf8');
  expect(new Set(page.match(ours))).toEqual(new Set(text.match(ours)));
});
