import { expect, test } from 'vitest';
import { reconcilers } from '../../../../src/reconcile/kinds/all.ts';
import { kinds, resourceTypes } from '../../../../src/resources/managed-object.ts';
import { usableAccount } from '../../../support/usable-account.ts';

const { observer } = usableAccount().account;

test.each(kinds)('a %s has a parent exactly if its list needs the id of a parent', (kind) => {
  const list = (parentId: string) => reconcilers[kind].list(observer, parentId);
  const isChild = list('parent-1') !== list('parent-2');
  expect(resourceTypes[kind].parent !== undefined).toBe(isChild);
});
