import { type WeeklyWindow } from './weekly-window.ts';

/** A source of windows: the object's own field, or the annotations of its Namespace. */
export type RuleSource = 'spec.changeWindows' | 'namespace';

/**
 * The windows of a single source. A change needs an open window at every level that has windows.
 * A level with a problem holds every change; the problem is a sentence for the user.
 */
export type RuleLevel =
  | { readonly source: RuleSource; readonly windows: readonly WeeklyWindow[] }
  | { readonly source: RuleSource; readonly problem: string };

/** The rules for disruptive changes of an object. Each level and the approval may only narrow. */
export type ChangeRules = {
  readonly levels: readonly RuleLevel[];
  /** A person must approve each held change. */
  readonly approval: 'Required' | undefined;
};
