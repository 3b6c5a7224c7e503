import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { cloudClient, type CloudClient } from '../../../src/cloud/cloud-client.ts';
import type { CloudOperation } from '../../../src/cloud/cloud-api.ts';
import { isOperation } from '../../../src/cloud/operations/all.ts';
import { cloudErrorOf } from './cloud-error-of.ts';
import { operations } from './operations.ts';
import { json, scriptedPeer, type Arrived, type ScriptedPeer } from './scripted-peer.ts';

/** The field of a reply with the id of a resource, and the id in the path, as `operations.ts` calls the operation. */
const ids = { vpc: ['id', 'vpc/1'], peering: ['id', 'pcx?1'], service: ['service_id', 'sv%1'] } as const;
type Resource = keyof typeof ids;

type Rule =
  | { readonly type: 'reads' | 'changes' | 'creates beside'; readonly resource: Resource }
  | { readonly type: 'creates' | 'unchecked'; readonly why: string };

const reads = (resource: Resource): Rule => ({ type: 'reads', resource });
const changes = (resource: Resource): Rule => ({ type: 'changes', resource });
const unchecked = (why: string): Rule => ({ type: 'unchecked', why });
const inNoPath: Rule = {
  type: 'creates',
  why: 'the path has no resource of its kind: reconcile/act/ compares the id with those that are known',
};
const many = unchecked('it shows all resources of its kind, each with its own id');
const noBody = unchecked('no body is described');
const words = unchecked('a message in words has no id');

/** All there are: leaving one out, or adding one, does not compile. */
const rules: Readonly<Record<CloudOperation, Rule>> = {
  getCredentialsInfo: unchecked('the key is in no path; whoever asks compares the project'),
  listVpcs: many,
  createVpc: inNoPath,
  getVpc: reads('vpc'),
  deleteVpc: noBody,
  renameVpc: changes('vpc'),
  listPeerings: many,
  createPeering: inNoPath,
  getPeering: reads('peering'),
  deletePeering: noBody,
  listServices: many,
  createService: inNoPath,
  getService: reads('service'),
  deleteService: noBody,
  startService: changes('service'),
  stopService: changes('service'),
  attachServiceToVpc: words,
  detachServiceFromVpc: words,
  resizeService: changes('service'),
  enableServicePooler: words,
  disableServicePooler: words,
  forkService: { type: 'creates beside', resource: 'service' },
  updateServicePassword: noBody,
  setServiceEnvironment: words,
  setServiceHighAvailability: changes('service'),
  listReplicaSets: many,
  createReplicaSet: inNoPath,
  deleteReplicaSet: noBody,
  resizeReplicaSet: words,
  enableReplicaSetPooler: words,
  disableReplicaSetPooler: words,
  setReplicaSetEnvironment: words,
};

/** Whether a reply with this id in place of another one is taken. */
function takes({ type }: Rule, id: 'the one in the path' | 'another' | 'none'): boolean {
  switch (type) {
    case 'reads':
      return id === 'the one in the path';
    case 'changes':
      return id !== 'another';
    case 'creates beside':
      return id === 'another';
    case 'creates':
    case 'unchecked':
      return true;
  }
}

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

const idsFor = { 'the one in the path': (asked: string) => asked, another: () => 'somebodys', none: () => undefined } as const;

const cells = Object.keys(rules)
  .filter(isOperation)
  .flatMap((operation) => {
    const { call } = operations[operation];
    const rule = rules[operation];
    if (!('resource' in rule)) return [];
    const [field, asked] = ids[rule.resource];
    return (['the one in the path', 'another', 'none'] as const).map((which) => {
      const reply = { [field]: idsFor[which](asked), name: 'n' };
      return { operation, which, isTaken: takes(rule, which), field, reply, call };
    });
  });

test.each(cells.filter(({ isTaken }) => isTaken))('$operation takes a reply with this id: $which', async ({ call, reply }) => {
  answer = json(200, reply);
  await expect(call(api, undefined)).resolves.not.toBe('refused');
});

test.each(cells.filter(({ isTaken }) => !isTaken))(
  '$operation cannot use a reply with this id: $which',
  async ({ operation, call, reply, field }) => {
    answer = json(200, reply);
    const error = await cloudErrorOf(call(api, undefined));
    expect(error).toMatchObject({ operation, kind: 'unreadable', sent: true, fromApi: false, changedNothing: false });
    expect(error.field).toContain(`${field}: expected the id of`);
    expect(error.message).not.toContain('somebodys');
  },
);
