import { expect, test } from 'vitest';
import { completionScripts, shells } from '../../../src/cli/completion.ts';
import { targetsIn } from '../../../src/cli/objects.ts';
import { ageText } from '../../../src/cli/why/text.ts';

test.for([
  ['msvc/orders', [['ManagedService', 'orders']]],
  [
    'managedservice/orders rrset/reads',
    [
      ['ManagedService', 'orders'],
      ['ReplicaSet', 'reads'],
    ],
  ],
  [
    'managedvpcs prod stage',
    [
      ['ManagedVpc', 'prod'],
      ['ManagedVpc', 'stage'],
    ],
  ],
  ['ManagedVpc.managed-db.io/prod', [['ManagedVpc', 'prod']]],
] as const)('the words "%s" name these objects', ([words, targets]) => {
  expect(targetsIn(words.split(' ')).map(({ kind, name }) => [kind, name])).toEqual(targets);
});

test.for([
  ['orders', 'must be KIND/NAME'],
  ['msvc/', 'must be KIND/NAME'],
  ['msvc orders rrset/reads', 'a kind and then names'],
  ['managedservic/orders', 'is no kind of the operator (mvpc, msvc, rrset)'],
  ['pod/a', 'is no kind of the operator (mvpc, msvc, rrset)'],
] as const)('the words "%s" are refused: %s', ([words, why]) => {
  expect(() => targetsIn(words.split(' '))).toThrow(why);
});

test.for(shells)('the script for %s asks the program for the words that may follow', (shell) => {
  expect(completionScripts[shell]).toContain('__complete');
});

test.for([
  [3_000, '3s'],
  [119_000, '119s'],
  [840_000, '14m'],
  [7_200_000, '2h'],
  [172_800_000, '2d'],
] as const)('%d milliseconds are %s', ([ms, age]) => {
  expect(ageText(ms)).toBe(age);
});
