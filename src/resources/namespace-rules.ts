import { namespaceAnnotations } from './annotations.ts';
import type { ChangeRules } from './change-rules.ts';
import type { NamespaceMetadata } from './namespace-metadata.ts';
import { parseWeeklyWindow, type WeeklyWindow } from './weekly-window.ts';

/**
 * The rules of a Namespace. With a `problem`, every governed change is held until a user mends the
 * annotation: a rule that nobody can read must not let a change pass.
 */
export type NamespaceRules = ChangeRules & {
  /** The Namespace, the annotation, its value, and the remedy. */
  readonly problem?: string;
};

/** The rules of most Namespaces: none. */
const noRules: NamespaceRules = { levels: [], approval: undefined };
const mostWindows = 10;
/** In characters: days, hours and the longest zone of the IANA list have 53. */
const longestValue = 60;

/**
 * Reads the rules for changes from the annotations of a Namespace.
 * @param namespace its name
 * @param metadata undefined while the watch of Namespaces has not shown it: it may have rules
 */
export function rulesOfNamespace(
  namespace: string,
  metadata: Pick<NamespaceMetadata['metadata'], 'annotations'> | undefined,
): NamespaceRules {
  if (!metadata)
    return {
      ...noRules,
      problem: `the operator does not see the Namespace "${namespace}", which may have rules for changes; it needs the rights get, list and watch on namespaces`,
    };
  const {
    [namespaceAnnotations.changeWindows]: windows,
    [namespaceAnnotations.changeApproval]: approval,
  } = metadata.annotations ?? {};
  if (windows === undefined && approval === undefined) return noRules;
  const read = windows === undefined ? [] : windowsIn(windows);
  const problem =
    'problem' in read
      ? inWords(namespace, namespaceAnnotations.changeWindows, read.problem)
      : problemOfApproval(namespace, approval);
  return {
    levels:
      'problem' in read || windows === undefined ? [] : [{ source: 'namespace', windows: read }],
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
    // The end of a text that is too long for a window makes it unreadable.
    const window = parseWeeklyWindow(shortened(each));
    if ('problem' in window) return window;
    windows.push(window);
  }
  return windows;
}

function problemOfApproval(namespace: string, approval: string | undefined): string | undefined {
  if (approval === undefined || approval === 'Required') return undefined;
  const problem = `"${shortened(approval)}" is no rule; write Required, or remove the annotation`;
  return inWords(namespace, namespaceAnnotations.changeApproval, problem);
}

function inWords(namespace: string, annotation: string, problem: string): string {
  return `${annotation} of Namespace ${namespace}: ${problem}`;
}

/** A message must stay short. No window and no other value is so long. */
function shortened(text: string): string {
  return text.length <= longestValue ? text : `${text.slice(0, longestValue)}…`;
}
