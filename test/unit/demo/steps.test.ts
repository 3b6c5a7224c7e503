import { expect, test } from 'vitest';
import { withShortNames } from '../../../src/demo/cluster.ts';
import { fitting, steps } from '../../../src/demo/demo.ts';

const table = `
NAME                                  READY   REASON                STATE
managedservice.managed-db.io/fork     False   WaitingForReference
managedservice.managed-db.io/orders   True    Available             READY

NAME                               READY   REASON
managedvpc.managed-db.io/prod      True    Available`;

test('tables of kubectl lose the long names of kinds, and stay tables', () => {
  expect(withShortNames(table)).toBe(
    `
NAME          READY   REASON                STATE
msvc/fork     False   WaitingForReference
msvc/orders   True    Available             READY

NAME        READY   REASON
mvpc/prod      True    Available`.replace('NAME        READY', 'NAME           READY'),
  );
});

test('a block is as wide and as high as the terminal: tables are cut, what is said is wrapped', () => {
  const said =
    '  ManagedService fork: WaitingForReference: spec.fork.serviceRef "orders" is not created in the cloud yet: its status says why';
  expect(fitting(`${'x'.repeat(50)}\n${said}\n`, 40, 24)).toBe(`${'x'.repeat(39)}…
  ManagedService fork:
    WaitingForReference:
    spec.fork.serviceRef "orders" is not
    created in the cloud yet: its status
    says why
`);
  const lines = fitting(Array.from({ length: 40 }, (_, at) => `line ${at}`).join('\n'), 40, 24)
    .trimEnd()
    .split('\n');
  expect([lines.length, lines.at(-1)]).toEqual([23, '...']);
  expect(
    fitting(`  ${'y'.repeat(100)}\n`, 20, 24)
      .split('\n')
      .every((line) => line.length <= 20),
  ).toBe(true);
});

test('a live block is drawn over exactly what it drew before', () => {
  const written: string[] = [];
  const show = steps({ write: (text) => written.push(text), isTTY: true, columns: 31, rows: 10 });
  show.live(`\n${'x'.repeat(90)}\n  a word and another one and a third one\n`, '1');
  show.live('\nshort\n', '2');
  const [first = '', second = ''] = written;
  expect(first.split('\n').every((line) => line.length < 31)).toBe(true);
  expect(second).toBe(`\u001B[${first.split('\n').length - 1}A\u001B[0J\nshort\n`);
});
