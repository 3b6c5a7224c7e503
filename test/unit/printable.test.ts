import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { printable, printableLines } from '../../src/logging/printable.ts';

test.each([
  ['a line feed', 'a\nmsvc/forged', String.raw`a\u000amsvc/forged`],
  ['a tab', 'a\tb', String.raw`a\u0009b`],
  ['an escape sequence', '\u001b[31mred', String.raw`\u001b[31mred`],
  ['a control sequence of 8 bits', '\u009b31mred', String.raw`\u009b31mred`],
  ['a delete', 'a\u007f', String.raw`a\u007f`],
  ['a next line of YAML 1.1', 'a\u0085b', String.raw`a\u0085b`],
  ['a line separator', 'a\u2028b\u2029', String.raw`a\u2028b\u2029`],
  ['an override of the direction', 'a\u202eb', String.raw`a\u202eb`],
  ['a character without width', 'a\u200bb\ufeff', String.raw`a\u200bb\ufeff`],
  ['an invisible tag', 'a\u{e0041}', String.raw`a\udb40\udc41`],
  ['half of a character', 'a\ud83d', String.raw`a\ud83d`],
])('%s in a name is shown as its escape', (_, name, shown) => {
  expect(printable(name)).toBe(shown);
});

test.each(['orders', 'Päyments DB (prod)!', '注文データベース', '😀 orders', String.raw`a\b`])(
  'the name %s is shown as it is',
  (name) => {
    expect(printable(name)).toBe(name);
  },
);

test('lines keep their tabs and line feeds alone', () => {
  expect(printableLines('a\tb\nc\r\u001b')).toBe(String.raw`a	b
c\u000d\u001b`);
});

test('JSON that is printed as lines keeps its meaning', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (name) => {
      const printed = printableLines(JSON.stringify({ name }, undefined, 2));
      expect(JSON.parse(printed)).toEqual({ name });
    }),
  );
});
