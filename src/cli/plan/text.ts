import { jsonText } from '../json.ts';
import { printable } from '../../logging/printable.ts';
import { shortNameOf } from '../objects.ts';
import { wrapped } from '../why/text.ts';
import { creates, deletes, impacts, type Impact } from './step.ts';
import type { ObjectPlan } from './plan.ts';

/** Each mark also has words, so no colour or sign is needed to read it. */
export type Mark = '+' | '~' | '-' | '=' | '?' | ' ';

export const impactText: Readonly<Record<Impact, string>> = {
  none: '',
  interruption: 'may interrupt connections',
  endpointChange: 'changes the endpoint',
  passwordChange: 'changes the password',
  dataLoss: 'DELETES DATA',
};

export interface Counts {
  readonly create: number;
  readonly change: number;
  readonly delete: number;
  readonly adopt: number;
  readonly unchanged: number;
  readonly waits: number;
  readonly unknown: number;
  /** Steps of each impact but `none`. */
  readonly impacts: Readonly<Record<Impact, number>>;
}

/** By its most serious step. Pure. */
export function markOf({ steps, end }: ObjectPlan): Mark {
  const operations = steps.map(({ operation }) => operation);
  if (operations.some(deletes)) return '-';
  if (operations.some(creates)) return '+';
  if (steps.some(({ changesCloud }) => changesCloud)) return '~';
  if (steps.length > 0) return '=';
  return end === 'waits' || end === 'unknown' ? '?' : ' ';
}

/** Pure. */
export function countsOf(plans: readonly ObjectPlan[]): Counts {
  const marks = plans.map(markOf);
  const count = (mark: Mark) => marks.filter((each) => each === mark).length;
  const steps = plans.flatMap((each) => each.steps);
  const having = (impact: Impact) => steps.filter((step) => step.impact === impact).length;
  return {
    create: count('+'),
    change: count('~'),
    delete: count('-'),
    adopt: count('='),
    unchanged: count(' '),
    waits: plans.filter(({ end }) => end === 'waits').length,
    unknown: plans.filter(({ end }) => end === 'unknown').length,
    impacts: {
      none: having('none'),
      interruption: having('interruption'),
      endpointChange: having('endpointChange'),
      passwordChange: having('passwordChange'),
      dataLoss: having('dataLoss'),
    },
  };
}

function isSilent(each: ObjectPlan): boolean {
  return markOf(each) === ' ' && each.notes.length === 0;
}

/** Without colour. Lines have at most 80 columns, if the words allow it. Pure. */
export function planText(plans: readonly ObjectPlan[]): string {
  const lines = plans.flatMap((each) => (isSilent(each) ? [] : objectLines(each)));
  return `${[...lines, summary(countsOf(plans))].join('\n')}\n`;
}

function objectLines(each: ObjectPlan): readonly string[] {
  const id = each.id === undefined ? '' : ` (${each.id})`;
  const steps = each.steps.flatMap(({ text, impact, cause, held }, place) => {
    const effect = impactText[impact] === '' ? '' : `  ! ${impactText[impact]}`;
    const waits = held === undefined ? '' : `  (${held})`;
    const begin = `    ${place + 1} ${cause.padEnd(5)}  `;
    return wrapped(`${text}${effect}${waits}`, ' '.repeat(begin.length), begin);
  });
  const end = endText(each);
  return [
    `${markOf(each)} ${shortNameOf(each.kind)}/${each.name} -n ${each.namespace}${id}`,
    ...steps,
    ...each.notes.flatMap((note) => wrapped(note, ' '.repeat(10), '    note: ')),
    ...(end === undefined ? [] : wrapped(end, ' '.repeat(6), '    ')),
  ];
}

/** Undefined if the plan leads to the state that the spec asks for. */
function endText({ end, reason = 'no reason', message = '' }: ObjectPlan): string | undefined {
  if (end === 'waits') return `waits: ${reason}: ${message}`;
  return end === 'unknown' ? `unknown: ${message}` : undefined;
}

/** Such as `Plan: 1 to create, 2 to change, 0 to delete, 197 unchanged; 1 step may interrupt connections.` Pure. */
export function summary(counts: Counts): string {
  const parts = [
    `${counts.create} to create`,
    `${counts.change} to change`,
    `${counts.delete} to delete`,
  ];
  const more = [
    ...(counts.adopt > 0 ? [`${counts.adopt} without a change in the cloud`] : []),
    `${counts.unchanged} unchanged`,
    ...(counts.waits > 0 ? [`${counts.waits} waiting`] : []),
    ...(counts.unknown > 0 ? [`${counts.unknown} unknown`] : []),
  ];
  const effects = impacts.filter((impact) => impact !== 'none' && counts.impacts[impact] > 0);
  const words = effects.map((impact) => `${counts.impacts[impact]} x ${impactText[impact]}`);
  return `Plan: ${[...parts, ...more].join(', ')}.${words.length === 0 ? '' : `\nImpact: ${words.join(', ')}.`}`;
}

/** Pure. */
export function planMarkdown(plans: readonly ObjectPlan[]): string {
  const rows = plans.flatMap((each) =>
    each.steps.map(({ text, impact, cause, held }) => {
      const object = `${shortNameOf(each.kind)}/${each.name} (${each.namespace})`;
      const withHold = held === undefined ? text : `${text} (${held})`;
      return `| ${markOf(each)} | ${object} | ${cause} | ${escaped(withHold)} | ${impactText[impact]} |`;
    }),
  );
  const notes = plans.flatMap((each) =>
    each.notes.map(
      (note) => `- ${shortNameOf(each.kind)}/${each.name} (${each.namespace}): ${escaped(note)}`,
    ),
  );
  const waits = plans.flatMap((each) => {
    const end = endText(each);
    const object = `${shortNameOf(each.kind)}/${each.name} (${each.namespace})`;
    return end === undefined ? [] : [`- ${object} ${escaped(end)}`];
  });
  const table =
    rows.length === 0
      ? []
      : ['| | object | cause | step | impact |', '|---|---|---|---|---|', ...rows, ''];
  return `${['### Database plan', '', ...table, ...notes, ...waits, ...(notes.length + waits.length === 0 ? [] : ['']), summary(countsOf(plans))].join('\n')}\n`;
}

function escaped(text: string): string {
  return printable(text)
    .replaceAll('|', String.raw`\|`)
    .replaceAll('<', '&lt;');
}

/** Pure. */
export function planJson(plans: readonly ObjectPlan[]): string {
  return jsonText('Plan', { summary: countsOf(plans), objects: plans });
}
