import { expect, test } from 'vitest';
import { checkPruneFlags } from '../../../src/cli/read/pruned.ts';

test.for([
  [
    { prune: true, selector: 'app=x' },
    false,
    /^--prune deletes objects that are not in manifests/u,
  ],
  [{ prune: true }, true, /^--prune needs the labels .* plan -f DIR --prune -l LABEL=VALUE$/u],
  [{ prune: true, selector: '' }, true, /^--prune needs the labels/u],
  [{ prune: false, selector: 'app=x' }, true, /^-l chooses the objects that --prune deletes/u],
] as const)('%o with manifests %s is refused with the flags to give', ([flags, has, words]) => {
  expect(() => checkPruneFlags(flags, has)).toThrow(words);
});

test('pruning with manifests and labels, and no pruning, are no mistakes', () => {
  expect(() => checkPruneFlags({ prune: true, selector: 'app=x' }, true)).not.toThrow();
  expect(() => checkPruneFlags({ prune: false }, false)).not.toThrow();
});
