import type { ManagedObject } from './managed-object.ts';
import { parseWeeklyWindow, type WeeklyWindow } from './weekly-window.ts';

/** A source of windows: a field of the object, or the annotations of its Namespace. */
export type RuleSource = 'spec.changeWindows' | 'namespace';

/** The windows of a single source. A change needs an open window at every level. */
export type RuleLevel = {
  readonly source: RuleSource;
  /** Never empty. */
  readonly windows: readonly WeeklyWindow[];
};

/** The rules for disruptive changes of an object. Each part may only narrow. */
export type ChangeRules = {
  readonly levels: readonly RuleLevel[];
  /** A person must approve each held change. */
  readonly approval: 'Required' | undefined;
  /** A rule that nobody can read holds every change: the place, the value and the remedy. */
  readonly problem?: string;
};

/** The rules in the spec of an object. Undefined if it has none, as most objects. */
export function rulesInSpec({ spec }: ManagedObject): ChangeRules | undefined {
  const changeWindows = 'changeWindows' in spec ? spec.changeWindows : undefined;
  if (changeWindows === undefined || changeWindows.length === 0) return undefined;
  const windows: WeeklyWindow[] = [];
  for (const text of changeWindows) {
    const window = parseWeeklyWindow(text);
    if ('problem' in window)
      return { levels: [], approval: undefined, problem: `spec.changeWindows: ${window.problem}` };
    windows.push(window);
  }
  return { levels: [{ source: 'spec.changeWindows', windows }], approval: undefined };
}

/** The rules of both sources together. */
export function joinedRules(
  one: ChangeRules | undefined,
  other: ChangeRules | undefined,
): ChangeRules | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  const problem = one.problem ?? other.problem;
  return {
    levels: [...one.levels, ...other.levels],
    approval: one.approval ?? other.approval,
    ...(problem !== undefined && { problem }),
  };
}
