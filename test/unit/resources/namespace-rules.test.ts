import { expect, test } from 'vitest';
import { namespaceMetadata } from '../../../src/resources/namespace-metadata.ts';
import { rulesOfNamespace } from '../../../src/resources/namespace-rules.ts';

const windows = 'managed-db.io/change-windows';
const approval = 'managed-db.io/change-approval';
const saturday = 'Sat 01:00-06:00 Europe/Berlin';
const wednesday = 'Wed 03:00-04:00 UTC';

const rulesOf = (annotations: Readonly<Record<string, string>> | undefined) => {
  const metadata = { name: 'shop', uid: 'uid', resourceVersion: '5', annotations };
  const { levels, approval: asked, problem } = rulesOfNamespace('shop', { metadata }) ?? {};
  return {
    windows: levels?.map((level) => level.windows.map(({ text }) => text)),
    approval: asked,
    problem,
  };
};

test.each([
  ['no annotation', undefined, { windows: undefined }],
  ['another annotation', { 'example.com/team': 'data' }, { windows: undefined }],
  ['a window', { [windows]: saturday }, { windows: [[saturday]] }],
  [
    'two windows with spaces around them',
    { [windows]: ` ${saturday} ,  ${wednesday}` },
    { windows: [[saturday, wednesday]] },
  ],
  ['an approval', { [approval]: 'Required' }, { windows: [], approval: 'Required' }],
  [
    'a window and an approval',
    { [windows]: wednesday, [approval]: 'Required' },
    { windows: [[wednesday]], approval: 'Required' },
  ],
])('a Namespace with %s has rules without a problem', (_, annotations, expected) => {
  expect(rulesOf(annotations)).toEqual({ approval: undefined, problem: undefined, ...expected });
});

test.each([
  ['an empty list of windows', { [windows]: '' }, `${windows} of Namespace shop: ""`],
  ['a cron text', { [windows]: '0 2 * * 6' }, `${windows} of Namespace shop: "0 2 * * 6"`],
  [
    'an unknown zone',
    { [windows]: 'Sat 02:00-05:00 Mars/Olympus' },
    '"Sat 02:00-05:00 Mars/Olympus" has an unknown time zone',
  ],
  [
    'an unreadable window beside a readable window',
    { [windows]: `${saturday}, Sat 25:00-26:00 UTC` },
    '"Sat 25:00-26:00 UTC"',
  ],
  ['a comma at the end', { [windows]: `${saturday},` }, `${windows} of Namespace shop: ""`],
  ['eleven windows', { [windows]: Array(11).fill(wednesday).join(',') }, 'it has 11 windows'],
  [
    'an approval in lowercase',
    { [approval]: 'required' },
    `${approval} of Namespace shop: "required" is no rule; write Required`,
  ],
  ['an approval that is false', { [approval]: 'false' }, '"false" is no rule'],
  ['an empty approval', { [approval]: '' }, '"" is no rule'],
  [
    'a very long window',
    { [windows]: `${saturday}${'x'.repeat(4_000)}` },
    `"${saturday}${'x'.repeat(21)}…"`,
  ],
  [
    'readable windows and an unreadable approval',
    { [windows]: saturday, [approval]: 'yes' },
    '"yes" is no rule',
  ],
])('a Namespace with %s has a problem, which names the value', (_, annotations, words) => {
  const { problem = '' } = rulesOf(annotations);
  expect(problem).toContain(words);
  expect(problem.length).toBeLessThanOrEqual(280);
});

test('an unreadable approval counts as required, too', () => {
  expect(rulesOf({ [approval]: 'yes' }).approval).toBe('Required');
});

test('a Namespace that the watch has not shown has a problem, since it may have rules', () => {
  // Its databases may be protected from deletion.
  expect(rulesOfNamespace('shop', undefined)?.approval).toBe('Required');
  expect(rulesOfNamespace('shop', undefined)?.problem).toContain(
    'the operator does not see Namespace shop',
  );
});

test('of a Namespace, a cache keeps its name, its version and the two annotations alone', () => {
  const metadata = { name: 'shop', uid: 'uid', resourceVersion: '5' };
  const annotations = { [windows]: saturday, [approval]: 'Required' };
  const more = { 'managed-db.io/ledger': 'x', 'example.com/notes': 'x'.repeat(100_000) };
  expect(
    namespaceMetadata.parse({
      metadata: {
        ...metadata,
        labels: { team: 'data' },
        managedFields: [{ manager: 'kubectl' }],
        annotations: { ...annotations, ...more },
      },
    }),
  ).toEqual({ metadata: { ...metadata, annotations } });
});

test('a list of windows that is too long to be kept stays unreadable', () => {
  const long = `${saturday},${' '.repeat(5_000)}${wednesday}`;
  const metadata = {
    name: 'shop',
    uid: 'uid',
    resourceVersion: '5',
    annotations: { [windows]: long },
  };
  const rules = rulesOfNamespace('shop', namespaceMetadata.parse({ metadata }));
  expect(rules?.problem).toContain('"sha256-');
});
