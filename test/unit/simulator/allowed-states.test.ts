import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { operations } from '../../../src/cloud/wire/all.ts';
import { methodOf } from '../../../src/cloud/wire/operation.ts';
import { replicaSetStates } from '../../../src/cloud/wire/replica-set.ts';
import { serviceStates } from '../../../src/cloud/wire/service.ts';
import { routes } from '../../../src/simulator/api-server.ts';
import { missingAndUnknown, none } from '../missing-and-unknown.ts';
import {
  type Answer,
  bodyOf,
  idOf,
  inProcessCloud,
  type InProcessCloud,
  latencyMs,
  newReplicaSet,
  refusalOf,
  statusOf,
} from './in-process-cloud.ts';

let cloud: InProcessCloud;
let vpc: string;

beforeAll(async () => {
  cloud = await inProcessCloud();
  vpc = await cloud.vpc();
});

afterAll(async () => {
  await cloud[Symbol.asyncDispose]();
});

const states = [...serviceStates, 'A_STATE_NOBODY_KNOWS'];
const setStates = [...replicaSetStates, 'another'];

interface Change {
  readonly change: string;
  /** The states that allow it. */
  readonly allowed: readonly string[];
  readonly body?: () => unknown;
}

/** The operations whose document has these words for a 409, below a path. */
function taking(conflict: string, path: string, allowed: readonly string[]): readonly Change[] {
  return Object.entries(operations)
    .filter(([, row]) => row.conflict === conflict)
    .map(([operation, row]) => ({
      change: `${methodOf[row.effect]} ${row.path.slice(path.length)}`,
      allowed,
      body: () => bodyOf(operation),
    }));
}

const serviceChanges: readonly Change[] = [
  { change: 'POST /start', allowed: ['PAUSED'] },
  { change: 'POST /attachToVPC', allowed: ['READY'], body: () => ({ vpc_id: vpc }) },
  { change: 'POST /detachFromVPC', allowed: ['READY'], body: () => ({ vpc_id: vpc }) },
  {
    change: 'POST /forkService',
    allowed: ['READY', 'PAUSED'],
    body: () => ({ fork_strategy: 'NOW' }),
  },
  ...taking('The service is not `READY`.', '/projects/{project_id}/services/{service_id}', [
    'READY',
  ]),
  { change: 'DELETE ', allowed: states.filter((state) => state !== 'DELETING') },
];

const setChanges: readonly Change[] = [
  ...taking(
    'The replica set is not `active`, or its service is stopped.',
    '/projects/{project_id}/services/{service_id}/replicaSets/{replica_set_id}',
    ['active'],
  ),
  { change: 'DELETE ', allowed: setStates.filter((state) => state !== 'deleting') },
];

/** The changes that no state forbids: a create has no state yet, and the states of VPCs and peerings forbid nothing. */
const otherChanges = [
  'POST /vpcs',
  'DELETE /vpcs/:vpc_id',
  'POST /vpcs/:vpc_id/rename',
  'POST /vpcs/:vpc_id/peerings',
  'DELETE /vpcs/:vpc_id/peerings/:peering_id',
  'POST /services',
];

const fullPaths = (path: string, changes: readonly Change[]) =>
  changes.map(({ change }) => change.replace(' ', ` ${path}`));

test('every change that the simulator takes stands in one of these tables', () => {
  const service = '/services/:service_id';
  const rows = [
    ...fullPaths(service, serviceChanges),
    ...fullPaths(`${service}/replicaSets/:replica_set_id`, setChanges),
    ...otherChanges,
  ];
  const changes = routes
    .filter(({ method }) => method !== 'GET')
    .map(({ method, path }) => `${method} ${path}`);
  expect(missingAndUnknown(rows, changes)).toEqual(none);
});

interface Case extends Change {
  readonly state: string;
}

function cases(
  changes: readonly Change[],
  all: readonly string[],
  isAllowed: boolean,
): readonly Case[] {
  return changes.flatMap((change) =>
    all
      .filter((state) => change.allowed.includes(state) === isAllowed)
      .map((state) => ({ ...change, state })),
  );
}

function send({ change, body }: Change, path: string): Promise<Answer> {
  const [method = '', below = ''] = change.split(' ');
  return cloud.call(method, `${path}${below}`, body?.());
}

async function serviceBefore({ change, state }: Case): Promise<string> {
  const id = await cloud.serviceIn('READY');
  if (change === 'POST /detachFromVPC') {
    await cloud.call('POST', `/services/${id}/attachToVPC`, { vpc_id: vpc });
    cloud.advance(latencyMs);
  }
  await cloud.force('service', id, state);
  return id;
}

async function setBefore({ state }: Case): Promise<string> {
  const service = await cloud.serviceIn('READY');
  const id = idOf(await cloud.call('POST', `/services/${service}/replicaSets`, newReplicaSet));
  await cloud.force('replicaSet', id, state);
  return `/services/${service}/replicaSets/${id}`;
}

describe('a service', () => {
  test.each(cases(serviceChanges, states, true))('that is $state takes $change', async (each) => {
    const answer = await send(each, `/services/${await serviceBefore(each)}`);
    expect(answer.status).toBeOneOf([200, 202, 204]);
  });

  test.each(cases(serviceChanges, states, false))(
    'that is $state refuses $change with 409, and stays so',
    async (each) => {
      const id = await serviceBefore(each);
      const answer = await send(each, `/services/${id}`);
      expect(answer.status).toBe(409);
      expect(refusalOf(answer)).toMatchObject({ code: 'conflict' });
      expect(refusalOf(answer).message).toContain(id);
      expect(statusOf(await cloud.call('GET', `/services/${id}`))).toBe(each.state);
    },
  );

  test('that is PAUSED takes start, fork and delete, and nothing else', () => {
    const taken = cases(serviceChanges, ['PAUSED'], true).map(({ change }) => change);
    expect(taken).toEqual(['POST /start', 'POST /forkService', 'DELETE ']);
  });
});

describe('a replica set', () => {
  test.each(cases(setChanges, setStates, true))('that is $state takes $change', async (each) => {
    const answer = await send(each, await setBefore(each));
    expect(answer.status).toBeOneOf([200, 202]);
  });

  test.each(cases(setChanges, setStates, false))(
    'that is $state refuses $change with 409',
    async (each) => {
      const answer = await send(each, await setBefore(each));
      expect(answer.status).toBe(409);
      expect(refusalOf(answer).code).toBe('conflict');
    },
  );

  test.each(
    ['PAUSING', 'PAUSED', 'RESUMING'].flatMap((parent) =>
      setChanges.filter(({ change }) => change !== 'DELETE ').map((each) => ({ ...each, parent })),
    ),
  )('whose service is $parent refuses $change with 409', async ({ parent, ...each }) => {
    const path = await setBefore({ ...each, state: 'active' });
    await cloud.force('service', path.split('/')[2] ?? '', parent);
    const answer = await send(each, path);
    expect(answer.status).toBe(409);
    expect(refusalOf(answer).code).toBe('conflict');
  });
});
