import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cloudClient, type CloudClient } from '../../../src/cloud/cloud-client.ts';
import { operations } from '../../../src/cloud/wire/all.ts';
import { routes } from '../../../src/simulator/api-server.ts';
import type { Project } from '../../../src/simulator/project.ts';
import { type Simulator, startSimulator } from '../../../src/simulator/simulator.ts';
import { missingAndUnknown, none } from '../missing-and-unknown.ts';
import { cloudErrorOf } from './cloud-error-of.ts';
import { allOperations, operations as cases } from './operations.ts';
import { newWalk, project, type Step, walkOrder } from './walk.ts';

let simulator: Simulator;
let cloud: Project;
let api: CloudClient;

beforeAll(async () => {
  simulator = await startSimulator({ latencyMs: 0 });
  cloud = simulator.addProject({ id: project, apiKey: 'key-1' });
  api = cloudClient({ baseUrl: new URL(simulator.url), apiKey: 'key-1' });
});

afterAll(async () => {
  await api[Symbol.asyncDispose]();
  await simulator[Symbol.asyncDispose]();
});

test('the simulator has a route for every operation of the client, and for no other', () => {
  const served = ['getCredentialsInfo', ...routes.map(({ operation }) => operation)];
  expect(missingAndUnknown(served, Object.keys(operations))).toEqual(none);
});

test('the simulator takes every operation of the client, from an empty project to an empty project', async () => {
  await using client = cloudClient({ baseUrl: new URL(simulator.url), apiKey: 'key-1' });
  const walk = newWalk();
  for (const step of Object.values<Step>(walkOrder)) await step(client, walk);
  expect(
    missingAndUnknown(cloud.calls.keys(), Object.keys(operations)),
    'calls that arrived',
  ).toEqual(none);
  expect(await client.project(project).listServices()).toEqual([]);
  expect(await client.project(project).listVpcs()).toEqual([]);
});

describe.each(allOperations)('%s, refused by the simulator,', (operation, { call }) => {
  test.each([
    [400, 'invalid'],
    [409, 'conflict'],
    [503, 'server'],
  ] as const)('with %i is an error of kind %s in the words of the API', async (status, kind) => {
    cloud.faults.add({
      kind: 'errorBefore',
      operation,
      status,
      times: 1,
      body: { message: 'as asked' },
    });
    expect(await cloudErrorOf(call(api))).toMatchObject({
      operation,
      kind,
      status,
      fromApi: true,
      cloudMessage: 'as asked',
    });
  });

  test('with 429 says when to come again', async () => {
    cloud.faults.add({ kind: 'rateLimit', operation, retryAfterSeconds: 7, times: 1 });
    expect(await cloudErrorOf(call(api))).toMatchObject({
      kind: 'rateLimited',
      retryAfterMs: 7_000,
      changedNothing: true,
    });
  });

  test('by a dropped connection counts as sent', async () => {
    cloud.faults.add({ kind: 'dropBefore', operation, times: 1 });
    expect(await cloudErrorOf(call(api))).toMatchObject({
      kind: 'network',
      sent: true,
      changedNothing: false,
    });
  });

  test('for a wrong key is unauthorized', async () => {
    await using stranger = cloudClient({ baseUrl: new URL(simulator.url), apiKey: 'another' });
    expect(await cloudErrorOf(call(stranger))).toMatchObject({
      kind: 'unauthorized',
      status: 401,
      fromApi: true,
    });
  });
});

const ofProject = allOperations.filter(([operation]) => operation !== 'getCredentialsInfo');

test.each(ofProject)(
  '%s with the key of another project is forbidden',
  async (_operation, { call }) => {
    const other = simulator.addProject();
    await using stranger = cloudClient({ baseUrl: new URL(simulator.url), apiKey: other.apiKey });
    expect(await cloudErrorOf(call(stranger))).toMatchObject({
      kind: 'forbidden',
      status: 403,
      fromApi: true,
    });
  },
);

test.each(['createVpc', 'createService'] as const)(
  '%s whose reply is lost leaves it open, and is not sent twice',
  async (operation) => {
    const before = cloud.commits.get(operation) ?? 0;
    cloud.faults.add({ kind: 'replyLost', operation });
    expect(await cloudErrorOf(cases[operation].call(api, undefined))).toMatchObject({
      kind: 'network',
      sent: true,
      changedNothing: false,
    });
    expect((cloud.commits.get(operation) ?? 0) - before).toBe(1);
    cloud.faults.clear();
  },
);
