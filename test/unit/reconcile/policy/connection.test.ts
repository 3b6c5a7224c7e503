import { expect, test } from 'vitest';
import { decideService } from '../../../../src/reconcile/kinds/service/policy.ts';
import { serviceSituation } from '../../../support/situation.ts';

test('for a service that is as its spec wants nothing is left to do', () => {
  expect(decideService(serviceSituation())).toEqual({
    type: 'done',
    reason: 'Available',
    message: 'the service is available at db.example.com:5432; Secret "orders-db" has the connection',
  });
});
