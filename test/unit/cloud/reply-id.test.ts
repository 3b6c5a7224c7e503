import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { cloudClient, type CloudClient } from '../../../src/cloud/cloud-client.ts';
import { isOperation, operations as rows } from '../../../src/cloud/wire/all.ts';
import { cloudErrorOf } from './cloud-error-of.ts';
import { operations } from './operations.ts';
import { json, scriptedPeer, type Arrived, type ScriptedPeer } from './scripted-peer.ts';

/** The id of a resource: its parameter in a path, its field in a reply, and the id as `operations.ts` has it in the path. */
const ids: ReadonlyMap<
  string | undefined,
  readonly [parameter: string, field: string, asked: string]
> = new Map([
  ['Vpc', ['vpc_id', 'id', 'vpc/1']],
  ['Peering', ['peering_id', 'id', 'pcx?1']],
  ['Service', ['service_id', 'service_id', 'sv%1']],
]);

type Id = 'the id of the path' | 'another id' | 'no id';

/** The ids that a reply may have. If the path and the reply name the same resource, all other operations change it. */
const taken = new Map<string, readonly Id[]>([
  ...['getVpc', 'getPeering', 'getService'].map(
    (operation) => [operation, ['the id of the path']] as const,
  ),
  ['forkService', ['another id']],
]);
const takenOfChanges: readonly Id[] = ['the id of the path', 'no id'];

let answer: (request: Arrived, response: ServerResponse) => void;
let peer: ScriptedPeer;
let api: CloudClient;

beforeAll(async () => {
  peer = await scriptedPeer((request, response) => answer(request, response));
  api = cloudClient({ baseUrl: peer.url, apiKey: 'key-1' });
});

afterAll(async () => {
  await api[Symbol.asyncDispose]();
  await peer[Symbol.asyncDispose]();
});

const idsFor = {
  'the id of the path': (asked: string) => asked,
  'another id': () => 'somebodys',
  'no id': () => undefined,
} as const;

/** The fields that a peering must have. */
const address = { peer_account_id: '1', peer_region_code: 'eu', peer_vpc_id: 'v' };

const cells = Object.keys(operations)
  .filter(isOperation)
  .flatMap((operation) => {
    const { path, success } = rows[operation];
    const [parameter = '', field = '', asked = ''] = ids.get(success.body) ?? [];
    if (!path.includes(`{${parameter}}`)) return [];
    return (['the id of the path', 'another id', 'no id'] as const).map((which) => ({
      operation,
      which,
      isTaken: (taken.get(operation) ?? takenOfChanges).includes(which),
      field,
      reply: { ...address, [field]: idsFor[which](asked), name: 'n' },
      call: operations[operation].call,
    }));
  });

test.each(cells.filter(({ isTaken }) => isTaken))(
  '$operation accepts a reply with $which',
  async ({ call, reply }) => {
    answer = json(200, reply);
    await expect(call(api, undefined)).resolves.not.toBe('refused');
  },
);

test.each(cells.filter(({ isTaken }) => !isTaken))(
  '$operation rejects a reply with $which',
  async ({ operation, call, reply, field }) => {
    answer = json(200, reply);
    const error = await cloudErrorOf(call(api, undefined));
    expect(error).toMatchObject({
      operation,
      kind: 'unreadable',
      sent: true,
      fromApi: false,
      changedNothing: false,
    });
    expect(error.field).toContain(`${field}: expected`);
    expect(error.message).not.toContain('somebodys');
  },
);
