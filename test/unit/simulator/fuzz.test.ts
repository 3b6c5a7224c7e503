import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { routes } from '../../../src/simulator/routes.ts';
import { idOf, inProcessCloud, newPeering, newReplicaSet, newService, newVpc, refusalOf, request } from './in-process-cloud.ts';

const adminPaths = ['', '/created', '/calls', '/force', '/force/:kind/:id', '/check-password', '/faults', '/nothing'];
const templates = [
  ...routes.map(({ path }) => `/projects/:project${path}`),
  ...adminPaths.map((path) => `/_simulator/projects/:project${path}`),
  '/auth/info',
  '/_simulator/projects',
  '/_simulator',
  '/:id',
];

const anyValue = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom('shared', '1000', 4, 'DEV', 'PITR', '2026-01-01T00:00:00Z', 'READY', ['ai'], 'service', '10.0.0.0/8'),
);
const fields = [newVpc, newPeering, newService, newReplicaSet].flatMap((body) => Object.keys(body));
const others = ['fork_strategy', 'target_time', 'vpc_id', 'environment', 'password', 'replica_count', 'kind', 'status', 'latencyMs', 'id'];
const body = fc.oneof(
  fc.constant(undefined),
  fc
    .constantFrom({ ...newVpc, ...newPeering, ...newService }, newReplicaSet, { fork_strategy: 'NOW' }, { password: 'long enough' })
    .map((right) => JSON.stringify(right)),
  fc.dictionary(fc.constantFrom(...fields, ...others), anyValue).map((guess) => JSON.stringify(guess)),
  fc.json(),
  fc.string({ unit: 'binary' }),
);
const call = fc.record({
  method: fc.constantFrom('GET', 'POST', 'DELETE', 'PUT', 'PATCH', 'OPTIONS'),
  template: fc.constantFrom(...templates),
  /** For the ids in the path, in turn: the number of one that exists, or any text. */
  ids: fc.array(fc.oneof(fc.nat(3), fc.nat(3), fc.string({ unit: 'binary', minLength: 1 })), { minLength: 2, maxLength: 2 }),
  apiKey: fc.constantFrom('key-1', 'key-1', 'key-1', 'key-of-2', 'wrong', ''),
  body,
  type: fc.constantFrom('application/json', 'application/json', 'application/json', 'text/plain', 'application/xml', '*/*'),
});

test('whatever is asked, the answer is no 5xx, and the simulator goes on', async () => {
  await using cloud = await inProcessCloud();
  cloud.simulator.addProject({ id: 'prj2', apiKey: 'key-of-2' });
  const service = await cloud.serviceIn('READY');
  const vpc = await cloud.vpc();
  const known = [
    service,
    vpc,
    idOf(await cloud.call('POST', `/vpcs/${vpc}/peerings`, newPeering)),
    idOf(await cloud.call('POST', `/services/${service}/replicaSets`, newReplicaSet)),
  ];
  const everyCall = fc.asyncProperty(fc.array(call, { minLength: 1, maxLength: 5 }), fc.nat(2_000), async (calls, laterMs) => {
    for (const { method, template, ids, apiKey, body: text, type } of calls) {
      const inTurn = ids.map((id) => (typeof id === 'number' ? (known[id] ?? '') : encodeURIComponent(id)));
      const path = template
        // faults are made for the second project: with its own ones, the first may answer 5xx
        .replace(':project', template.startsWith('/_simulator') && template.endsWith('faults') ? 'prj2' : 'prj1')
        .replaceAll(/:\w+/gu, () => inTurn.shift() ?? 'none');
      const isWithBody = text !== undefined && method !== 'GET';
      const answer = await request(method, `${cloud.simulator.url}${path}`, { apiKey, ...(isWithBody ? { raw: { text, type } } : {}) });
      expect(answer.status, `${method} ${path} ${text ?? ''} said ${answer.text}`).toBeLessThan(500);
      if (answer.status >= 400) refusalOf(answer);
    }
    cloud.advance(laterMs);
    expect((await cloud.call('GET', '/services')).status).toBe(200);
  });
  await fc.assert(everyCall, { numRuns: 200 });
});
