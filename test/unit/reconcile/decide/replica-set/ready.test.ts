import { expect, test } from 'vitest';
import { decideReplicaSet } from '../../../../../src/reconcile/kinds/replica-set/kind.ts';
import { replicaSetSituation } from '../../../../support/situation-of-others.ts';

test('a replica set that is active, and as its spec wants it, is Available', () => {
  expect(decideReplicaSet(replicaSetSituation())).toEqual({
    type: 'done',
    reason: 'Available',
    message:
      'the replica set is available at reads.example.com:5432; Secret "reads-replicas-db" has the connection',
  });
});
