import { expect, test } from 'vitest';
import { factsJson } from '../../../../src/reconcile/situation/facts-json.ts';
import { wait } from '../../../../src/reconcile/step/step.ts';
import { readFacts } from '../../../support/read-facts.ts';
import { cloudError, listFacts, serviceSituation } from '../../../support/situation.ts';

test('facts are the same after they were written as JSON and read again', () => {
  const refused = {
    generation: 1,
    again: 2,
    times: 3,
    isUnclear: false,
    step: wait('Resizing', 'refused'),
  };
  const facts = serviceSituation({
    cloud: { state: 'unknown', error: cloudError() },
    list: listFacts({ begunAt: 7, failure: cloudError(), failingSince: 6 }),
    refusals: new Map([['resizeService 2000m/8GB', refused]]),
    learned: { firstSeen: new Map([['resource svc-1', 5]]) },
  });
  const again = readFacts(JSON.parse(JSON.stringify(factsJson(facts))));
  expect(again).toEqual(facts);
});
