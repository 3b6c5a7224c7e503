import { expect, test } from 'vitest';
import * as z from 'zod';
import { operatorCaches } from '../../../src/operator/caches.ts';
import { serviceKind } from '../../../src/reconcile/kinds/service/kind.ts';
import { memory } from '../../../src/reconcile/process/memory.ts';
import { announce } from '../../../src/reconcile/report/announce.ts';
import { report } from '../../../src/reconcile/report/report.ts';
import { loopGuard, objectCache, type KubernetesClient } from '../../../src/runtime/index.ts';
import { noon, serviceObject, serviceSituation } from '../../support/situation.ts';

/** What is written of a status that the API server does not keep as a whole, since its definition is older than the operator. */

const ignore = () => undefined;
const done = { type: 'done', reason: 'Available', message: 'ready' } as const;
const patchBody = z.object({ status: z.looseObject({}) });

/** Visits an object at these minutes. @param drops the part of status that is not kept @returns the fields of status that each visit wrote */
async function written(drops: string, minutes: readonly number[]) {
  const caches = operatorCaches({ cache: () => objectCache([undefined]) }, 'ledger');
  let object = serviceObject();
  const bodies: string[][] = [];
  const kubernetes: Pick<KubernetesClient, 'patch'> = {
    patch(type, _key, body) {
      const { status } = patchBody.parse(body);
      bodies.at(-1)?.push(...Object.keys(status));
      const kept = Object.fromEntries(Object.entries({ ...object.status, ...status }).filter(([name]) => name !== drops));
      object = serviceObject({}, {}, { status: kept });
      return Promise.resolve(type.parse(object));
    },
  };
  const events = { record: ignore, flush: () => Promise.resolve() };
  const log = { debug: ignore, info: ignore, warn: ignore, error: ignore };
  const context = { caches, memory: memory(), loops: loopGuard(), events, log, kubernetes };
  for (const minute of minutes) {
    bodies.push([]);
    const situation = { ...serviceSituation({ object }), now: noon + minute * 60_000 };
    const visit = { kind: serviceKind, situation, step: done, outcome: { type: 'nothing' } } as const;
    await announce(visit, report(visit) ?? {}, context);
  }
  return bodies;
}

test('a field that an older definition drops is not written at each visit, but once an hour: a newer one may be there', async () => {
  const [first, ...others] = await written('onDelete', [0, 1, 10, 59, 61, 62]);
  expect(first).toContain('onDelete');
  expect(others).toEqual([[], [], [], ['onDelete'], []]);
});

test('conditions that somebody takes away are written again', async () => {
  const visits = await written('conditions', [0, 10, 20]);
  expect(visits.map((fields) => fields.includes('conditions'))).toEqual([true, true, true]);
});
