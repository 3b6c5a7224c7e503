import { expect, test } from 'vitest';
import { serviceId } from '../../../../src/cloud/wire/service.ts';
import { perform } from '../../../../src/reconcile/act/perform.ts';
import { call, type CloudChange } from '../../../../src/reconcile/step/step.ts';
import { serviceObject } from '../../../support/situation.ts';
import { usableAccount } from '../../../support/usable-account.ts';

/** Before a change that rules of users can hold, the operator reads the object live. (docs/safety.md, Changing) */

const id = serviceId.parse('svc-1');
const resize: CloudChange = {
  operation: 'resizeService',
  args: [id, { cpu_millis: '2000', memory_gbs: '8' }],
};
const environment: CloudChange = {
  operation: 'setServiceEnvironment',
  args: [id, { environment: 'PROD' }],
};
const object = serviceObject();
const edited = serviceObject({}, {}, { metadata: { resourceVersion: '2' } });
const recreated = serviceObject({}, {}, { metadata: { uid: 'other' } });

interface Row {
  readonly sentence: string;
  readonly change: CloudChange;
  readonly hasRules: boolean;
  readonly live: ReturnType<typeof serviceObject> | undefined;
  readonly expected: { readonly type: string; readonly calls: readonly string[] };
}

const rows: readonly Row[] = [
  {
    sentence: 'the object is unchanged: the change is sent after a read',
    change: resize,
    hasRules: true,
    live: object,
    expected: { type: 'done', calls: ['GET', 'resizeService'] },
  },
  {
    sentence: 'a person revoked the approval or reverted the spec: nothing is sent',
    change: resize,
    hasRules: true,
    live: edited,
    expected: { type: 'conflict', calls: ['GET'] },
  },
  {
    sentence: 'another object has the name: nothing is sent',
    change: resize,
    hasRules: true,
    live: recreated,
    expected: { type: 'conflict', calls: ['GET'] },
  },
  {
    sentence: 'the object is gone: nothing is sent',
    change: resize,
    hasRules: true,
    live: undefined,
    expected: { type: 'conflict', calls: ['GET'] },
  },
  {
    sentence: 'no rule holds the change: it costs no read',
    change: environment,
    hasRules: true,
    live: edited,
    expected: { type: 'done', calls: ['setServiceEnvironment'] },
  },
  {
    sentence: 'the object has no rules: a resize costs no read',
    change: resize,
    hasRules: false,
    live: edited,
    expected: { type: 'done', calls: ['resizeService'] },
  },
];

test.each(rows)('$sentence', async ({ change, hasRules, live, expected }) => {
  const calls: string[] = [];
  const noted = (call_: string) => () => {
    calls.push(call_);
    return Promise.resolve();
  };
  const { account } = usableAccount();
  const project = {
    resizeService: noted('resizeService'),
    setServiceEnvironment: noted('setServiceEnvironment'),
  };
  const step = call(
    { type: 'change', change, from: 'a', wanted: 'b', request: 'change it', remedy: 'change spec' },
    { reason: 'Resizing', message: 'changing it' },
  );
  const kubernetes = {
    get: () => {
      calls.push('GET');
      return Promise.resolve(live);
    },
  };
  const target = {
    object,
    hasRules,
    account: { state: 'usable', account: { ...account, project } },
  };
  const outcome = await perform(
    step,
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the parts that a change uses
    target as never,
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the parts that a change uses
    { leadership: { held: true }, kubernetes } as never,
    new AbortController().signal,
  );
  expect({ type: outcome.type, calls }).toEqual(expected);
});
