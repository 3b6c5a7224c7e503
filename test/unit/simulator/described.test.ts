import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { cloudClient } from '../../../src/cloud/cloud-client.ts';
import { openApiDocument } from '../../../scripts/openapi-document.ts';
import { operations } from '../../../src/cloud/wire/all.ts';
import { methodOf } from '../../../src/cloud/wire/operation.ts';
import { force } from '../../../src/simulator/store.ts';
import { startSimulator } from '../../../src/simulator/simulator.ts';
import { cloudDocument } from '../../support/cloud-document.ts';
import { documented } from '../../support/documented.ts';
import { newWalk, project, walkOrder, type Step } from '../cloud/walk.ts';
import { missingAndUnknown, none } from '../missing-and-unknown.ts';
import {
  fitsAll,
  idOf,
  inProcessCloud,
  latencyMs,
  newPeering,
  newReplicaSet,
  request,
  type Answer,
  type InProcessCloud,
} from './in-process-cloud.ts';

const document = cloudDocument();

describe('all that the simulator serves', () => {
  test('is in the document, and all that the document has is served', async () => {
    await using simulator = await startSimulator({ latencyMs: 0 });
    const cloud = simulator.addProject({ id: project, apiKey: 'key-1' });
    const said = documented(simulator.url);
    await using client = cloudClient({
      baseUrl: new URL(simulator.url),
      apiKey: 'key-1',
      intercept: said.intercept,
    });
    const walk = newWalk();
    const served = new Set(pathsIn(await client.getCredentialsInfo(), 'CredentialsInfo'));
    // In the reply to a create alone: the walk insists on it.
    served.add('Service.initial_password');
    for (const [operation, step] of Object.entries<Step>(walkOrder)) {
      await step(client, walk);
      if (operation === 'createPeering') {
        force(cloud, {
          kind: 'peering',
          id: walk.peering,
          status: 'failed',
          errorMessage: 'the CIDRs overlap',
        });
        for (const path of pathsIn(await client.project(project).listPeerings(walk.vpc), 'Peering'))
          served.add(path);
      }
      for (const path of pathsIn(await client.project(project).listServices(), 'Service'))
        served.add(path);
      for (const path of pathsIn(await client.project(project).listVpcs(), 'Vpc')) served.add(path);
    }
    expect(said.problems()).toEqual([]);
    const described = ['CredentialsInfo', 'Vpc', 'Peering', 'Service'].flatMap((name) => [
      ...pathsOf({ $ref: `/${name}` }, name),
    ]);
    expect(missingAndUnknown(served, described)).toEqual(none);
  });
});

/** Names of the fields that a value has, such as `Service.endpoint.host`; items of a list share theirs. */
function* pathsIn(value: unknown, path: string): Generator<string> {
  if (Array.isArray(value)) for (const each of value) yield* pathsIn(each, path);
  else if (typeof value === 'object' && value !== null) {
    for (const [name, each] of Object.entries(value)) {
      if (each === undefined) continue;
      yield `${path}.${name}`;
      yield* pathsIn(each, `${path}.${name}`);
    }
  }
}

const schemaShape = z
  .object({ $ref: z.string(), items: z.unknown(), properties: z.record(z.string(), z.unknown()) })
  .partial();
const schemas = z
  .record(z.string(), z.unknown())
  .parse(
    z.object({ components: z.looseObject({ schemas: z.unknown() }) }).parse(openApiDocument())
      .components.schemas,
  );

/** Names of the fields that a schema has. */
function* pathsOf(schema: unknown, path: string): Generator<string> {
  const { $ref, items, properties = {} } = schemaShape.parse(schema);
  if ($ref !== undefined) yield* pathsOf(schemas[$ref.split('/').at(-1) ?? ''], path);
  if (items !== undefined) yield* pathsOf(items, path);
  for (const [name, each] of Object.entries(properties)) {
    yield `${path}.${name}`;
    yield* pathsOf(each, `${path}.${name}`);
  }
}

describe('a refusal', () => {
  let cloud: InProcessCloud;
  let ids: Readonly<Record<string, string>>;
  beforeAll(async () => {
    cloud = await inProcessCloud();
    const [service, vpc] = [await cloud.serviceIn('READY'), await cloud.vpc()];
    const peering = idOf(await cloud.call('POST', `/vpcs/${vpc}/peerings`, newPeering));
    const set = idOf(await cloud.call('POST', `/services/${service}/replicaSets`, newReplicaSet));
    ids = {
      project_id: 'prj1',
      service_id: service,
      vpc_id: vpc,
      peering_id: peering,
      replica_set_id: set,
    };
    await cloud.call('POST', `/services/${service}/attachToVPC`, { vpc_id: vpc });
    cloud.advance(latencyMs);
    await cloud.force('service', service, 'DELETING');
    await cloud.force('replicaSet', set, 'deleting');
  });
  afterAll(() => cloud[Symbol.asyncDispose]());

  const cases = Object.entries(operations).flatMap(([operation, { effect, path }]) =>
    (document.statuses.get(operation) ?? [])
      .filter((status) => !status.startsWith('2'))
      .map((status) => ({ operation, method: methodOf[effect], path, status })),
  );

  test.each(cases)(
    'of $operation with $status is as the document has it',
    async ({ operation, method, path, status }) => {
      const answer = await refused(operation, method, path, status);
      expect(String(answer.status)).toMatch(new RegExp(`^${status.replaceAll('X', '\\d')}$`, 'u'));
      const exchange = {
        method,
        path,
        status: answer.status,
        headers: Object.fromEntries(answer.headers),
        replyBody: answer.text,
      };
      expect(document.replyProblems(exchange)).toEqual([]);
    },
  );

  /** Asks so that the answer has to be this. */
  async function refused(
    operation: string,
    method: string,
    template: string,
    status: string,
  ): Promise<Answer> {
    const at = (id: (name: string) => string) =>
      cloud.simulator.url + template.replaceAll(/\{(\w+)\}/gu, (_, name: string) => id(name));
    const known = (name: string) => ids[name] ?? '';
    const body =
      operation === 'createReplicaSet' ? newReplicaSet : { ...fitsAll, vpc_id: ids['vpc_id'] };
    const sent = method === 'POST' ? { body } : {};
    const usual = { apiKey: 'key-1', ...sent };
    switch (status) {
      case '400':
        return request(
          method,
          at(() => '%zz'),
          { apiKey: 'key-1' },
        );
      case '401':
        return request(method, at(known), sent);
      case '403':
        return request(method, at(known), {
          ...usual,
          apiKey: cloud.simulator.addProject().apiKey,
        });
      case '404':
        return request(
          method,
          at((name) => (name === 'project_id' ? 'prj1' : 'none')),
          usual,
        );
      case '413':
        return request(method, at(known), { ...usual, body: { name: 'x'.repeat(70_000) } });
      case '415':
        return request(method, at(known), {
          apiKey: 'key-1',
          raw: { text: 'name=x', type: 'text/plain' },
        });
      case '429':
        cloud.project.faults.add({ kind: 'rateLimit', operation, times: 1 });
        return request(method, at(known), usual);
      case '5XX':
        cloud.project.faults.add({ kind: 'errorBefore', operation, status: 503, times: 1 });
        return request(method, at(known), usual);
      default:
        return request(method, at(known), usual);
    }
  }
});
