import { expect, test } from 'vitest';
import type { ObjectPlan } from '../../../src/cli/plan/plan.ts';
import { planMarkdown, planText } from '../../../src/cli/plan/text.ts';
import { runCommand } from '../../../src/cli/application.ts';
import { table } from '../../../src/cli/table.ts';
import { causesText, explanationText } from '../../../src/cli/why/text.ts';
import { prettyLine } from '../../../src/logging/logging.ts';
import { wait } from '../../../src/reconcile/step/step.ts';

/** Any client of the cloud may choose the name of a resource: the name never forges a line, a colour or an order of letters. */
const name = 'orders\nmsvc/forged\r\u001b[2J\u009b31m\u202e\u2028';
const shown = String.raw`orders\u000amsvc/forged\u000d\u001b[2J\u009b31m\u202e\u2028`;
const of = { kind: 'ManagedService', namespace: 'shop', name: 'orders' } as const;
const message = `the cloud has the name ${name}`;

const planned: ObjectPlan = {
  ...of,
  id: undefined,
  notes: [],
  steps: [
    {
      operation: 'renameVpc',
      changesCloud: true,
      text: `rename to ${name}`,
      impact: 'none',
      cause: 'spec',
    },
  ],
  end: 'waits',
  reason: 'WaitingForCloud',
  message,
};
const explanation = {
  of,
  chain: [of],
  reason: 'WaitingForCloud',
  message,
  since: undefined,
  waitsFor: 'time',
} as const;

test.each([
  ['a table', table(['NAME'], [[name]]), 2],
  ['a plan', planText([planned]), 6],
  ['a plan for a pull request', planMarkdown([planned]), 9],
  [
    'the cause of an object',
    explanationText(
      explanation,
      [{ what: 'Ready False', reason: 'X', message: name, at: undefined }],
      0,
    ),
    5,
  ],
  [
    'the causes of all objects',
    causesText([{ objects: [of], reason: 'X', message, since: undefined, waitsFor: 'time' }], 1),
    5,
  ],
  [
    'a log line for people',
    prettyLine(JSON.stringify({ level: 'info', time: '2026-01-01T00:00:00Z', msg: message, name })),
    1,
  ],
  ['a message in status', `${wait('WaitingForCloud', message).message}\n`, 1],
])(
  '%s shows the name of a stranger with its control characters escaped, on the lines of its own',
  (_, text, lines) => {
    expect(text.replaceAll(/\n +/gu, ' ')).toContain(shown);
    expect(text.split('\n').length - 1).toBeLessThanOrEqual(lines);
    expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
  },
);

test('a table counts the columns of wide and combining characters', () => {
  expect(
    table(
      ['NAME', 'SIZE'],
      [
        ['注文', '1'],
        ['e\u0301tat', '2'],
        ['orders', '3'],
      ],
    ),
  ).toBe('NAME     SIZE\n注文     1\ne\u0301tat     2\norders   3\n');
});

test('the program prints no control character of its arguments', async () => {
  let said = '';
  const stream = { write: (text: string) => void (said += text) };
  await runCommand(['plan', '\u001b[31mmsvc/orders'], {
    stdout: stream,
    stderr: stream,
    signal: AbortSignal.timeout(10_000),
  });
  expect(said).toContain(String.raw`"\u001b[31mmsvc"`);
});
