import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { resourceTypes } from '../../../src/resources/managed-object.ts';
import { operatorGrants } from '../../attack/rights/grants.ts';
import { spans } from './pages.ts';

/** The table of the security page that gives a reason for each right. */

const page = readFileSync(new URL('../../../docs/security.md', import.meta.url), 'utf8');
const [, section = ''] = page.split('\n## What the operator may do\n');
const [table = ''] = /^\| resource \|.*?(?=\n\n)/msu.exec(section) ?? [];
const rows = table
  .split('\n')
  .slice(2)
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .map(([, resource = '', names = '', verbs = '', why = '']) => ({ resource, names, verbs, why }));

const three = Object.values(resourceTypes).map(({ plural }) => plural);
const resourcesOf = (cell: string) =>
  cell === '`…/status` of the three' ? three.map((plural) => `${plural}/status`) : spans(cell);
const namesOf = (cell: string) =>
  cell === 'the three' ? three.map((plural) => `${plural}.managed-db.io`) : spans(cell);

/**
 * `patch secrets`, with a name if the right is about a single object. A row without a resource continues the row
 * before.
 */
function told(): readonly string[] {
  let resource = '';
  let names = '';
  return rows.flatMap((row) => {
    if (row.resource !== '') ({ resource, names } = row);
    else if (row.names !== '') ({ names } = row);
    const of = namesOf(names).map((name) => ` ${name}`);
    return row.verbs
      .split(', ')
      .flatMap((verb) =>
        resourcesOf(resource).flatMap((each) =>
          (of.length === 0 ? [''] : of).map((name) => `${verb} ${each}${name}`),
        ),
      );
  });
}

test('the security page has each right of the operator once, with a reason, and no other', async () => {
  const granted = (await operatorGrants()).map(
    ({ verb, resource, name }) => `${verb} ${resource}${name === undefined ? '' : ` ${name}`}`,
  );
  expect(granted.length).toBeGreaterThan(30);
  expect(told().toSorted()).toEqual(granted.toSorted());
  expect(rows.filter(({ why }) => why === '')).toEqual([]);
});
