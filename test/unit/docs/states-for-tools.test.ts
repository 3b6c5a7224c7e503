import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { ManagedService } from '../../../src/resources/managed-service.ts';
import { statesForTools } from '../../support/states-for-tools.ts';

const page = readFileSync(new URL('../../../docs/reasons.md', import.meta.url), 'utf8');
/** The rows of the table, without its column for kstatus, which kstatus.test.ts checks. */
const rows = page
  .split('\n')
  .filter((line) => statesForTools.some(([state]) => line.startsWith(`| ${state} |`)))
  .map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );

test.each(statesForTools)('the page states how tools see an object: %s', (state, object) => {
  expect(object.status?.observedGeneration).toBe(object.metadata.generation);
  const [, ready, synced, third, , argo, kubectl] = rows.find(([first]) => first === state) ?? [];
  const seen = [wordOf(object, 'Ready'), wordOf(object, 'Synced'), thirdOf(object)];
  const isReady = wordOf(object, 'Ready') === 'True';
  expect([ready, synced, third, argo, kubectl]).toEqual([
    ...seen,
    argoHealthOf(object),
    isReady ? 'ends' : 'waits',
  ]);
});

function wordOf({ status }: ManagedService, wanted: string): string | undefined {
  return status?.conditions?.find(({ type }) => type === wanted)?.status;
}

function thirdOf({ status }: ManagedService): string {
  const types = status?.conditions?.map(({ type }) => type) ?? [];
  return types.find((type) => type === 'Reconciling' || type === 'Stalled') ?? '-';
}

/** As the Lua in docs/install.md. Argo CD asks no Lua about an object that is being deleted. */
function argoHealthOf(object: ManagedService): string {
  if (object.metadata.deletionTimestamp) return 'Progressing';
  if (thirdOf(object) === 'Stalled') return 'Degraded';
  return wordOf(object, 'Ready') === 'True' && thirdOf(object) === '-' ? 'Healthy' : 'Progressing';
}
