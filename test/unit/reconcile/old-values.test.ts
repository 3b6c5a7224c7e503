import { describe, expect, test } from 'vitest';
import { hasOldValue, noteSeen } from '../../../src/reconcile/observe/confirmed.ts';
import { isLateEffect } from '../../../src/reconcile/report/drift.ts';
import type { RequestedValue } from '../../../src/reconcile/situation/learned.ts';
import { noon, serviceSituation, situation } from '../../support/situation.ts';

/** The values before and after requests of the operator: which lists are old, and which changes are its own. */

const requested: RequestedValue = { before: '1000m/4GB', wanted: '2000m/8GB' };
const seen: RequestedValue = { ...requested, seenAt: 1 };

describe('a list', () => {
  test.each<readonly [sentence: string, values: Readonly<Record<string, unknown>>, request: RequestedValue, isOld: boolean]>([
    ['with the value before a change that was seen is doubted', { size: '1000m/4GB' }, seen, true],
    ['with the value before a change that was not seen yet is not', { size: '1000m/4GB' }, requested, false],
    ['with the new value is not', { size: '2000m/8GB' }, seen, false],
    ['with a third value is not: somebody else made it', { size: '4000m/16GB' }, seen, false],
    ['without the value is not', {}, seen, false],
    ['with the old value at another place is not', { environment: '1000m/4GB' }, seen, false],
  ])('%s', (_, values, request, isOld) => {
    expect(hasOldValue(values, new Map([['size', request]]))).toBe(isOld);
  });
});

describe('what the cloud shows for certain', () => {
  test.each<
    readonly [sentence: string, values: Readonly<Record<string, unknown>>, request: RequestedValue, after: RequestedValue | undefined]
  >([
    ['is a change once it is another value than before', { size: '2000m/8GB' }, requested, { ...requested, seenAt: 7 }],
    ['keeps the time when the change was first seen', { size: '2000m/8GB' }, seen, seen],
    ['is no change yet while it is the value before', { size: '1000m/4GB' }, requested, requested],
    ['ends the doubt when the change was undone', { size: '1000m/4GB' }, seen, undefined],
    ['says nothing of a change that was not seen where it lacks the value', {}, requested, requested],
    ['says nothing of a change that was seen where it lacks the value', {}, seen, seen],
  ])('%s', (_, values, request, after) => {
    const all = new Map([['size', request]]);
    noteSeen(values, all, 7);
    expect(all.get('size')).toEqual(after);
  });
});

describe('a size that changed while all was as wanted', () => {
  const late: RequestedValue = { ...requested, seenAt: noon };
  const path = 'cpuMillis/memoryGbs';
  test.each<readonly [sentence: string, request: RequestedValue | undefined, shown: number, isOurs: boolean]>([
    ["is the operator's late request if it is seen now for the first time", late, 2000, true],
    ['is of somebody else if the request was seen before', { ...late, seenAt: noon - 1 }, 2000, false],
    ['is of somebody else if the request was for another value', late, 4000, false],
    ['is of somebody else if nothing was requested', undefined, 2000, false],
  ])('%s', (_, request, cpu, isOurs) => {
    const resources = [{ spec: { cpu_millis: cpu, memory_gbs: 8 } }];
    const learned = { ...situation().learned, requested: new Map(request ? [[path, request]] : []) };
    expect(isLateEffect(path, serviceSituation({ spec: { cpuMillis: 1000, memoryGbs: 4 }, seen: { resources }, learned }))).toBe(isOurs);
  });
});
