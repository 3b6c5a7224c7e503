import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { objectsOfReasons } from '../support/objects-of-reasons.ts';
import { statesForTools } from '../support/states-for-tools.ts';

/** The status that kstatus, the library behind `helm --wait` and Flux, computes from the operator's conditions. */

const module = fileURLToPath(new URL('../control-plane', import.meta.url));

async function statusesOf(objects: readonly object[]): Promise<readonly string[]> {
  // Helm's go.mod has the version of the library.
  const child = promisify(execFile)('go', ['run', '-mod=readonly', './kstatus'], {
    cwd: module,
    env: { ...process.env, GOWORK: 'off' },
  });
  child.child.stdin?.end(JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }));
  return z.array(z.string()).parse(JSON.parse((await child).stdout));
}

const words = { waits: 'InProgress', fails: 'Failed', continues: 'Current' };

const pageOfReasons = readFileSync(new URL('../../docs/reasons.md', import.meta.url), 'utf8');

test(
  'the page of reasons states what kstatus computes for suspended, observed and stopped objects',
  { timeout: 300_000 },
  async () => {
    const statuses = await statusesOf(statesForTools.map(([, object]) => object));
    const stated = statesForTools.map(([state]) => {
      const row = pageOfReasons.split('\n').find((line) => line.startsWith(`| ${state} |`));
      return `${state}: ${row?.split('|')[5]?.trim()}`;
    });
    expect(statesForTools.map(([state], index) => `${state}: ${statuses[index]}`)).toEqual(stated);
  },
);

test(
  'kstatus waits for each object that is not as its spec asks, and fails for each that needs a person',
  { timeout: 300_000 },
  async () => {
    const statuses = await statusesOf(objectsOfReasons.map(({ object }) => object));
    expect(
      objectsOfReasons.map(({ sentence }, index) => `${sentence}: ${statuses[index]}`),
    ).toEqual(objectsOfReasons.map(({ sentence, verdict }) => `${sentence}: ${words[verdict]}`));
  },
);
