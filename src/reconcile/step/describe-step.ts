import type { Step } from './step.ts';

/** A decided step on one line, with everything that it does, for a log or a plan. Steps contain no secrets. */
export function describeStep(step: Step): string {
  if (step.type === 'keep') return `keep, and say once it has lasted: ${describeStep(step.told)}`;
  const { type, message, ...rest } = step;
  const { action, ...more } = { action: undefined, ...rest };
  const { type: name, ...data } = action ?? { type: '' };
  return [type, name, JSON.stringify({ message, ...more, ...data })].filter((part) => part !== '').join(' ');
}
