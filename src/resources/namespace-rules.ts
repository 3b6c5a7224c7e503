import { namespaceAnnotations } from './annotations.ts';
import type { ChangeRules } from './change-rules.ts';
import type { NamespaceMetadata } from './namespace-metadata.ts';
import { parseWeeklyWindow, type WeeklyWindow } from './weekly-window.ts';

/** As in a spec. */
const mostWindows = 10;
const longestShown = 40;

/**
 * Reads the rules for changes from the annotations of a Namespace. An unreadable value is a problem,
 * which holds every governed change.
 * @param name of the Namespace
 * @param namespace undefined while the watch has not shown it: it may have rules
 * @returns undefined if the Namespace has no rules, as most have none
 */
export function rulesOfNamespace(
  name: string,
  namespace: NamespaceMetadata | undefined,
): ChangeRules | undefined {
  if (!namespace)
    return {
      levels: [],
      approval: 'Required',
      problem: `the operator does not see Namespace ${name}, which may have rules; grant it list and watch on namespaces`,
    };
  const {
    [namespaceAnnotations.changeWindows]: windows,
    [namespaceAnnotations.changeApproval]: approval,
  } = namespace.metadata.annotations ?? {};
  if (windows === undefined && approval === undefined) return undefined;
  const read = windows === undefined ? [] : windowsIn(windows);
  const problem =
    'problem' in read
      ? inWords(name, namespaceAnnotations.changeWindows, read.problem)
      : problemOfApproval(name, approval);
  return {
    levels: 'problem' in read || read.length === 0 ? [] : [{ source: 'namespace', windows: read }],
    approval: approval === undefined ? undefined : 'Required',
    ...(problem === undefined ? {} : { problem }),
  };
}

function windowsIn(text: string): readonly WeeklyWindow[] | { readonly problem: string } {
  const texts = text.split(',').map((each) => each.trim());
  if (texts.length > mostWindows)
    return { problem: `it has ${texts.length} windows; write at most ${mostWindows}` };
  const windows: WeeklyWindow[] = [];
  for (const each of texts) {
    const window = parseWeeklyWindow(each);
    if ('problem' in window) return window;
    windows.push(window);
  }
  return windows;
}

function problemOfApproval(name: string, approval: string | undefined): string | undefined {
  if (approval === undefined || approval === 'Required') return undefined;
  const shown = approval.length <= longestShown ? approval : `${approval.slice(0, longestShown)}…`;
  const problem = `${JSON.stringify(shown)} is no rule; write Required, or remove the annotation`;
  return inWords(name, namespaceAnnotations.changeApproval, problem);
}

function inWords(name: string, annotation: string, problem: string): string {
  return `${annotation} of Namespace ${name}: ${problem}`;
}
