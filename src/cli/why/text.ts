import { printable } from '../../logging/printable.ts';
import { isReason } from '../../resources/condition.ts';
import { shortNameOf } from '../objects.ts';
import { isNoticed, type Cause, type Explanation, type Named } from './cause.ts';

const width = 80;

export interface Evidence {
  /** Such as `Ready False`. */
  readonly what: string;
  readonly reason: string;
  readonly message: string;
  /** RFC 3339. */
  readonly at: string | undefined;
}

export function nameText({ kind, namespace, name }: Named): string {
  return `${shortNameOf(kind)}/${name} -n ${namespace}`;
}

/** @param now milliseconds since the epoch. Pure. */
export function explanationText(
  explanation: Explanation,
  evidence: readonly Evidence[],
  now: number,
): string {
  const { chain, reason, message, since } = explanation;
  const root = chain.at(-1) ?? explanation.of;
  const age = since === undefined ? '' : ` (for ${ageText(now - Date.parse(since))})`;
  const lines = [
    ...labelled('Cause', `${nameText(root)}: ${reason}: ${message}${age}`),
    ...(chain.length > 1
      ? labelled(
          'Chain',
          chain.map(({ kind, name }) => `${shortNameOf(kind)}/${name}`).join(' <- '),
        )
      : []),
    ...labelled('Do', actionText(explanation)),
    ...evidence
      .filter((each) => each.message !== message)
      .flatMap(({ what, reason: word, message: said, at }, place) => {
        const when = at === undefined ? '' : `${ageText(now - Date.parse(at))} ago `;
        return labelled(place === 0 ? 'Seen' : '', `${when}${what} ${word}: ${said}`);
      }),
  ];
  return `${lines.join('\n')}\n`;
}

/** Pure. */
export function actionText({
  chain,
  of,
  reason,
  waitsFor,
}: Pick<Explanation, 'chain' | 'of' | 'reason' | 'waitsFor'>): string {
  const root = chain.at(-1) ?? of;
  if (isReason(reason, 'Pending'))
    return 'kubectl get pods -A -l app.kubernetes.io/name=managed-db-operator';
  if (isReason(reason, 'Suspended')) return `managed-db resume ${nameText(root)}`;
  if (waitsFor === 'nothing') return 'nothing: the spec is applied';
  if (isReason(reason, 'WaitingForApproval')) return `managed-db approve ${nameText(root)}`;
  if (isReason(reason, 'WaitingForWindow') && waitsFor === 'time')
    return 'wait: the operator makes the change when the window opens';
  if (waitsFor === 'time') return 'wait: the operator continues by itself';
  if (isNoticed(reason)) return 'as the cause says; the operator notices it';
  return `as the cause says; then managed-db sync ${nameText(root)}`;
}

/** A line for each cause, and the objects with it. Pure. */
export function causesText(causes: readonly Cause[], all: number): string {
  const waiting = causes.reduce((sum, { objects }) => sum + objects.length, 0);
  const lines = causes.flatMap(({ objects, reason, message }) => {
    const shown = objects.slice(0, 5).map(nameText).join(', ');
    const more = objects.length > 5 ? `, and ${objects.length - 5} more` : '';
    return [
      ...wrapped(`${count(objects.length)}: ${reason}: ${message}`, ''),
      ...wrapped(`${shown}${more}`, '    '),
      '',
    ];
  });
  return `${[...lines, `${waiting} of ${count(all)} not as specified.`].join('\n')}\n`;
}

function count(objects: number): string {
  return objects === 1 ? '1 object' : `${objects} objects`;
}

function labelled(label: string, text: string): readonly string[] {
  const indent = ' '.repeat(7);
  const [first = '', ...more] = wrapped(text, indent);
  return [`${label === '' ? ' '.repeat(6) : `${label}:`.padEnd(6)} ${first.trimStart()}`, ...more];
}

/**
 * Lines of at most 80 columns, if the words allow it. Spaces within a line stay: a quoted text may have several.
 * @param begin of the first line
 * @param indent of the other lines
 */
export function wrapped(text: string, indent: string, begin = indent): readonly string[] {
  const lines: string[] = [];
  let line = begin;
  let isEmpty = true;
  for (const word of printable(text).split(' ')) {
    if (!isEmpty && word !== '' && line.length + 1 + word.length > width) {
      lines.push(line.trimEnd());
      line = indent + word;
    } else line += isEmpty ? word : ` ${word}`;
    isEmpty = false;
  }
  return [...lines, line];
}

/** Such as `14m`. */
export function ageText(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000));
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 120) return `${minutes}m`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours}h` : `${Math.floor(hours / 24)}d`;
}
