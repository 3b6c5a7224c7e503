import { setTimeout as pause } from 'node:timers/promises';
import type { MeasuredOperator } from '../operator.ts';
import { patience } from '../scenario.ts';

const lookEveryMs = 200;

/** Waits until a process has visited so many services, and no key waits for a worker. @returns how many visits it has made */
export async function untilAtRest(operator: MeasuredOperator, count: number): Promise<number> {
  const deadline = performance.now() + patience(count) * 1_000;
  for (;;) {
    const visits = await visitsOf(operator);
    if (visits >= count && (await operator.metric('workqueue_depth')) === 0) return visits;
    if (performance.now() > deadline)
      throw new Error(`the operator is not at rest: ${visits} visits of ${count}`);
    await pause(lookEveryMs);
  }
}

export function visitsOf(operator: MeasuredOperator): Promise<number> {
  return operator.metric(
    'managed_db_reconcile_duration_seconds_count',
    ({ kind }) => kind === 'ManagedService',
  );
}
