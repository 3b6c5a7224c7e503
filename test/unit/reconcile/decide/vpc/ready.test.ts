import { expect, test } from 'vitest';
import { decideVpc } from '../../../../../src/reconcile/kinds/vpc/kind.ts';
import { vpcSituation } from '../../../../support/situation-of-others.ts';

test('a VPC that is there, and as its spec wants it, is Available', () => {
  expect(decideVpc(vpcSituation())).toEqual({
    type: 'done',
    reason: 'Available',
    message: 'the VPC exists',
  });
});
