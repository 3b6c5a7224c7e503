import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { conditionsOf } from '../../src/reconcile/report/status.ts';
import { stall, wait, type Step } from '../../src/reconcile/step/step.ts';
import { reasons, unseenConditions } from '../../src/resources/condition.ts';
import { statesForTools } from '../support/states-for-tools.ts';

/** The status that kstatus, the library behind `helm --wait` and Flux, computes from the operator's conditions. */

const serving = { reason: 'Available', message: 'it is available' };
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

type Row = readonly [sentence: string, step: Step | undefined, isServing: boolean, status: string];
const rows: readonly Row[] = [
  ['that no operator has seen', undefined, false, 'InProgress'],
  ...reasons.reconciling.flatMap((reason): readonly Row[] => [
    [`with reason ${reason}`, wait(reason, 'x'), false, 'InProgress'],
    [`that serves, with reason ${reason}`, wait(reason, 'x'), true, 'InProgress'],
  ]),
  ...reasons.stalled.flatMap((reason): readonly Row[] => [
    [`with reason ${reason}`, stall(reason, 'x'), false, 'Failed'],
    [`that serves, with reason ${reason}`, stall(reason, 'x'), true, 'Failed'],
  ]),
  ...reasons.ready.flatMap((reason): readonly Row[] => [
    [`with reason ${reason}`, { type: 'done', reason, message: 'x' }, true, 'Current'],
    [
      `with reason ${reason} that differs from its spec`,
      { type: 'done', reason, message: 'x', differs: true },
      true,
      'Current',
    ],
  ]),
  [
    'that somebody stopped, though the spec does not ask for that,',
    { type: 'done', reason: 'Stopped', message: 'x' },
    false,
    'InProgress',
  ],
];

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
    const objects = rows.map(([, step, isServing], index) => ({
      apiVersion: 'managed-db.io/v1alpha1',
      kind: 'ManagedService',
      metadata: { name: `object-${index}`, namespace: 'shop', generation: 1 },
      status: {
        observedGeneration: step ? 1 : 0,
        conditions: step
          ? conditionsOf(step, isServing ? serving : undefined, unseenConditions, {
              observedGeneration: 1,
              now: 0,
            })
          : unseenConditions,
      },
    }));
    const statuses = await statusesOf(objects);
    expect(rows.map(([sentence], index) => `${sentence}: ${statuses[index]}`)).toEqual(
      rows.map(([sentence, , , status]) => `${sentence}: ${status}`),
    );
  },
);
