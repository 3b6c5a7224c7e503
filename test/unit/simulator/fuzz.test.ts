import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { adminHelp } from '../../../src/simulator/admin.ts';
import { routes } from '../../../src/simulator/api-server.ts';
import { bodies } from '../../../src/simulator/handler.ts';
import { cloudDocument } from '../../support/cloud-document.ts';
import {
  type Answer,
  fitsAll,
  idOf,
  inProcessCloud,
  type InProcessCloud,
  newPeering,
  newReplicaSet,
  refusalOf,
  request,
} from './in-process-cloud.ts';

const admin = [...adminHelp.matchAll(/^([A-Z]+) +(\/_simulator\/\S*)/gmu)].map(
  ([, method = '', path = '']) => `${method} ${path}`,
);
const endpoints = [
  ...routes.map(({ method, path }) => `${method} /projects/:project${path}`),
  ...admin,
  'GET /auth/info',
  'GET /:id',
];

const anyValue = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom(
    'shared',
    '1000',
    4,
    'DEV',
    'PITR',
    '2026-01-01T00:00:00Z',
    'READY',
    ['ai'],
    Number.MAX_SAFE_INTEGER,
    'service',
    '10.0.0.0/8',
  ),
);
const fields = Object.values(bodies).flatMap(({ shape }) => Object.keys(shape));
const adminFields = ['kind', 'status', 'latencyMs', 'id'];
const body = fc.oneof(
  fc.constant(undefined),
  fc.constantFrom(fitsAll, fitsAll, newReplicaSet).map((right) => JSON.stringify(right)),
  fc
    .dictionary(fc.constantFrom(...fields, ...adminFields), anyValue)
    .map((guess) => JSON.stringify(guess)),
  fc.json(),
  fc.string({ unit: 'binary' }),
);
const call = fc.record({
  endpoint: fc.constantFrom(...endpoints),
  /** Another method than that of the endpoint. */
  otherMethod: fc.oneof(
    { weight: 5, arbitrary: fc.constant(undefined) },
    fc.constantFrom('GET', 'POST', 'DELETE', 'PUT', 'PATCH', 'OPTIONS'),
  ),
  /** For each id in the path, in turn: the right id, or any text. */
  ids: fc.array(
    fc.oneof(
      { weight: 9, arbitrary: fc.constant(undefined) },
      fc.string({ unit: 'binary', minLength: 1 }),
    ),
    {
      minLength: 2,
      maxLength: 2,
    },
  ),
  apiKey: fc.oneof(
    { weight: 9, arbitrary: fc.constant('key-1') },
    fc.constantFrom('key-of-2', 'wrong', ''),
  ),
  body,
  type: fc.oneof(
    { weight: 9, arbitrary: fc.constant('application/json') },
    fc.constantFrom('text/plain', 'application/xml', '*/*'),
  ),
});

/** A service, a VPC, a peering and a replica set, by the names that paths have for their ids. */
async function furnish(cloud: InProcessCloud): Promise<Readonly<Record<string, string>>> {
  await cloud.admin('DELETE', '');
  const [service, vpc] = [await cloud.serviceIn('READY'), await cloud.vpc()];
  const peering = idOf(await cloud.call('POST', `/vpcs/${vpc}/peerings`, newPeering));
  const set = idOf(await cloud.call('POST', `/services/${service}/replicaSets`, newReplicaSet));
  await cloud.force('replicaSet', set, 'active');
  return {
    service_id: service,
    vpc_id: vpc,
    peering_id: peering,
    replica_set_id: set,
    kind: 'service',
    id: service,
  };
}

const document = cloudDocument();

/**
 * The parts of an answer that the API document lacks. The answer to an undocumented request may only be a refusal.
 * A forced status may be any word.
 */
function notDescribed(
  method: string,
  path: string,
  requestBody: string | undefined,
  answer: Answer,
): readonly string[] {
  if (document.operationOf(method, path) === undefined) return [];
  const isRefused =
    answer.status >= 400 && document.requestProblems({ method, path, requestBody }).length > 0;
  const { status, headers, text: replyBody } = answer;
  const problems = document.replyProblems({
    method,
    path,
    status,
    headers: Object.fromEntries(headers),
    replyBody,
  });
  return isRefused
    ? []
    : problems.filter((problem) => !problem.includes('/status must be equal to one of'));
}

test(
  'any request gets a reply of the document without 5xx, and the simulator keeps running',
  { timeout: 60_000 },
  async () => {
    await using cloud = await inProcessCloud();
    cloud.simulator.addProject({ id: 'prj2', apiKey: 'key-of-2' });
    const everyCall = fc.asyncProperty(
      fc.array(call, { minLength: 1, maxLength: 5 }),
      fc.nat(2_000),
      async (calls, laterMs) => {
        const known = await furnish(cloud);
        for (const { endpoint, otherMethod, ids, apiKey, body: text, type } of calls) {
          const inTurn = [...ids];
          const [rightMethod = '', template = ''] = endpoint.split(' ');
          const method = otherMethod ?? rightMethod;
          const path = template
            // faults apply to the second project: with faults, the first project could answer 5xx
            .replace(
              ':project',
              template.startsWith('/_simulator') && template.endsWith('faults') ? 'prj2' : 'prj1',
            )
            .replaceAll(/:(\w+)/gu, (_, name: string) =>
              encodeURIComponent(inTurn.shift() ?? known[name] ?? ''),
            );
          const isWithBody = text !== undefined && method !== 'GET';
          const answer = await request(method, `${cloud.simulator.url}${path}`, {
            apiKey,
            ...(isWithBody ? { raw: { text, type } } : {}),
          });
          expect(answer.status, `${method} ${path} ${text ?? ''} said ${answer.text}`).toBeLessThan(
            500,
          );
          if (answer.status >= 400) refusalOf(answer);
          expect(
            isWithBody && type !== 'application/json'
              ? []
              : notDescribed(method, path, isWithBody ? text : undefined, answer),
          ).toEqual([]);
          taken += answer.status < 300 && method !== 'GET' ? 1 : 0;
        }
        cloud.advance(laterMs);
        expect((await cloud.call('GET', '/services')).status).toBe(200);
      },
    );
    let taken = 0;
    await fc.assert(everyCall, { numRuns: 200 });
    expect(taken, 'changes that were carried out: else it has proved little').toBeGreaterThan(20);
  },
);
