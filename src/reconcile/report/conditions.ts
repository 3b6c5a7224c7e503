import { isUnseen, readyOf, type Condition } from '../../resources/condition.ts';
import { conditionsNow } from '../../runtime/index.ts';
import type { Step } from '../step/step.ts';

type Draft = Pick<Condition, 'type' | 'status' | 'reason' | 'message'>;

/** The conditions of a step: Ready, plus Reconciling or Stalled with the same reason and message, never both. A Ready object has only one condition. Pure. */
export function conditionsOf(
  step: Step,
  previous: readonly Condition[],
  observedGeneration: number | undefined,
  now: number,
): readonly Condition[] {
  const seen = previous.filter((condition) => !isUnseen(condition));
  return conditionsNow(draftsOf(step, previous), seen, { observedGeneration, now });
}

function draftsOf(step: Step, previous: readonly Condition[]): readonly Draft[] {
  switch (step.type) {
    case 'call':
    case 'wait':
      return pair('Reconciling', step);
    case 'stall':
      return pair('Stalled', step);
    case 'done':
      return [{ type: 'Ready', status: 'True', reason: step.reason, message: step.message }];
    case 'suspended': {
      const before = readyOf({ status: { conditions: previous } })?.status ?? 'Unknown';
      const status = step.isGone === true ? 'False' : before;
      return [{ type: 'Ready', status, reason: 'Suspended', message: step.message }];
    }
    case 'write':
    case 'keep':
    case 'release':
      return [];
  }
}

function pair(
  type: 'Reconciling' | 'Stalled',
  { reason, message }: { readonly reason: string; readonly message: string },
): readonly Draft[] {
  return [
    { type: 'Ready', status: 'False', reason, message },
    { type, status: 'True', reason, message },
  ];
}
