import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { jsonItems, readSuccess } from '../../../src/cloud/read-reply.ts';

/** The array that the items make, or that they are not JSON. */
function read(text: string): unknown {
  try {
    const items = jsonItems(text);
    return items ? [...items].map((item): unknown => JSON.parse(item)) : 'no array';
  } catch (error) {
    return error instanceof SyntaxError ? 'not JSON' : error;
  }
}

function parsed(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : 'no array';
  } catch {
    return /^[ \t\n\r]*\[/u.test(text) ? 'not JSON' : 'no array';
  }
}

const texts: readonly string[] = [
  '[]',
  ' [ \n\t\r] ',
  '[1]',
  '[1, 2 ,3]',
  '[[1,[2]],{"a":[{"b":{}}]}]',
  '["a,b","]","[","{","}"]',
  '["\\"","\\\\","\\\\\\"",","]',
  '[{"a\\"]":"\\\\"},null,true,-1.5e3]',
  '["é, ü", "\u2028", "😀"]',
  '',
  ' ',
  'null',
  '{}',
  '{"a":[1]}',
  '"[1]"',
  'upstream is down',
  '\ufeff[1]',
  '\u00a0[1]',
  '[',
  '[1',
  '[1,',
  '[1,]',
  '[,1]',
  '[1,,2]',
  '[1 2]',
  '[1]]',
  '[1}',
  '[{]}',
  '[[1}]',
  '[{"a":1]]',
  '["a]',
  '["a\\"]',
  '[1] x',
  '[1]\u00a0',
  '[\u00a0]',
  '[1],',
  '[nul]',
  "['a']",
];

test.each(texts.map((text) => [JSON.stringify(text), text] as const))(
  '%s is read item by item as it is as a whole',
  (_name, text) => {
    expect(read(text)).toEqual(parsed(text));
  },
);

test('texts with one character removed, doubled or replaced are read as they are as a whole', () => {
  const text = '[{"a":"\\"x,]","b":[1,{"c":null}]},[],"\\\\",-2.5]';
  for (let at = 0; at < text.length; at += 1) {
    for (const instead of [
      '',
      `${text.charAt(at)}${text.charAt(at)}`,
      ',',
      '"',
      '\\',
      '[',
      ']',
      '{',
      '}',
      ' ',
    ]) {
      const changed = `${text.slice(0, at)}${instead}${text.slice(at + 1)}`;
      expect({ changed, value: read(changed) }).toEqual({ changed, value: parsed(changed) });
    }
  }
});

const services = (count: number) =>
  JSON.stringify(
    Array.from({ length: count }, (_, index) => ({
      service_id: `s${index}`,
      name: 'orders',
      status: 'READY',
    })),
  );

test('the event loop stays responsive while a list of ten thousand services is read', async () => {
  const reading = new AbortController();
  const others = (async () => {
    let turns = 0;
    for (; !reading.signal.aborted; turns += 1) await nextTurn();
    return turns;
  })();
  const { value } = await readSuccess('listServices', ['p'], {
    status: 200,
    headers: {},
    body: services(10_000),
    cut: undefined,
  });
  reading.abort();
  expect(value).toHaveLength(10_000);
  expect(await others).toBeGreaterThan(2);
});
