import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from '@prometheus-io/client';
import type { CallObservation } from '../cloud/cloud-client.ts';

/** What Prometheus is told. Names carry units; labels come from closed lists, never from users. */
export interface OperatorMetrics {
  cloudCall(call: CallObservation): void;
  visit(kind: string, durationMs: number, failed: boolean): void;
  /** An object went without the operator, and its resource may be there still. */
  abandoned(kind: string): void;
  /** @param lease the name of the Lease that is held, or waited for */
  leads(lease: string, isLeading: boolean): void;
  text(): Promise<{ readonly contentType: string; readonly text: string }>;
}

export function operatorMetrics(): OperatorMetrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const calls = new Counter({
    name: 'managed_db_cloud_calls_total',
    help: 'Calls to the cloud by operation and outcome.',
    labelNames: ['operation', 'outcome'] as const,
    registers: [registry],
  });
  const visits = new Histogram({
    name: 'managed_db_reconcile_duration_seconds',
    help: 'Duration of a visit to one object, by kind and result.',
    labelNames: ['kind', 'result'] as const,
    buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10, 30],
    registers: [registry],
  });
  const abandoned = new Counter({
    name: 'managed_db_abandoned_total',
    help: 'Objects that went without the operator, by kind: what they name may still be in the cloud, and paid for.',
    labelNames: ['kind'] as const,
    registers: [registry],
  });
  const leading = new Gauge({
    name: 'leader_election_master_status',
    help: '1 while this process holds the Lease of that name, 0 while it waits for it.',
    labelNames: ['name'] as const,
    registers: [registry],
  });
  return {
    cloudCall: ({ operation, outcome }) => calls.inc({ operation, outcome }),
    visit: (kind, durationMs, failed) => visits.observe({ kind, result: failed ? 'error' : 'done' }, durationMs / 1_000),
    abandoned: (kind) => abandoned.inc({ kind }),
    leads: (name, isLeading) => leading.set({ name }, isLeading ? 1 : 0),
    text: async () => ({ contentType: registry.contentType, text: await registry.metrics() }),
  };
}
