import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { manifestText } from '../../../src/cli/import/yaml.ts';

/** Texts that YAML 1.1, which kubectl reads, takes for another value. */
const tricky = [
  'y',
  'n',
  'Yes',
  'no',
  'on',
  'OFF',
  'true',
  'null',
  '~',
  '',
  '=',
  '<<',
  '-',
  '?',
  '!x',
  '&a',
  '*a',
  '%',
  '@',
  '`',
  '1_000',
  '0777',
  '0o7',
  '0x1F',
  '0b1',
  '1e3',
  '.5',
  '+1',
  '-0',
  '.inf',
  '-.Inf',
  '.NaN',
  '12:30',
  '12:30:45',
  '1.2:3',

  '2026-11-28',
  '2026-11-28T12:00:00Z',
  '# x',
  'a # b',
  'a: b',
  '- a',
  '{}',
  '[]',
  '"',
  "'",
  '\\',
  '\\u0041',
  ' a ',
  'a\n',
  '---',
  '...',
  'a\u0085b',
  '\u2028',
  '\u2029',
  '\ufeff',
  '\u007f',
  '\u009b31m',
  '\u001b[31m',
  '\u0000',
  '\ufffe',
  '\uffff',
  '\u202e',
  '\u{e0041}',
  '😀',
];
const texts = fc.oneof(fc.constantFrom(...tricky), fc.string({ unit: 'binary' }), fc.string());

test('a parser of YAML 1.1 and of YAML 1.2 read each text of a manifest as it is in the cloud', () => {
  fc.assert(
    fc.property(texts, texts, (name, comment) => {
      const object = {
        kind: 'ManagedService',
        metadata: { annotations: { 'managed-db.io/external-id': name } },
        spec: { name, nodes: 2 },
      };
      const text = manifestText(object, [comment]);
      for (const version of ['1.1', '1.2'] as const)
        expect(parse(text, { version })).toEqual(object);
      expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
    }),
    { numRuns: 300 },
  );
});
