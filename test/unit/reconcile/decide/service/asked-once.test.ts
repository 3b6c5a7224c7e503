import { expect, test } from 'vitest';
import { serviceId } from '../../../../../src/cloud/wire/service.ts';
import { decideService, serviceKind } from '../../../../../src/reconcile/kinds/service/kind.ts';
import { statusAfter } from '../../../../../src/reconcile/report/status.ts';
import { visitOf } from '../../../../support/visit.ts';
import { noon, serviceSituation, type GivenService } from '../../../../support/situation.ts';
import { decided, type Row } from '../../../../support/decided.ts';
import { asked, available, paused, stopped } from '../../../../support/steps.ts';

/**
 * The operator requests a change once. The tests show the decisions after an accepted, an ineffective and a
 * refused resize.
 */

const spec = { cpuMillis: 2000, memoryGbs: 8 };
const from = '1000m/4GB';
const wanted = '2000m/8GB';
const message = `resizing from ${from} to ${wanted}`;
const again = asked(
  { operation: 'resizeService', size: { cpu_millis: '2000', memory_gbs: '8' } },
  from,
  wanted,
  'Resizing',
  `resizing from ${from} to ${wanted}`,
);
const operation = { operation: 'resizeService', from, wanted, generation: 1 };
const acceptedAt = (at: number, more: object = {}) => ({
  lastOperation: { ...operation, at, ...more },
});
const waited = (at: number, afterMs: number) => ({
  type: 'wait',
  reason: 'Resizing',
  message,
  inProgressSince: at,
  afterMs,
});
const withoutEffect = {
  type: 'stall',
  reason: 'NotApplied',
  message: `the cloud accepted to resize the service to 2000 millicores, 8 GB but still shows ${from}: look at the service there; the operator retries when the spec or the cloud changes`,
  retryAfterMs: 600_000,
};
const seenAt = (asOf: number): Pick<GivenService, 'cloud'> => ({
  cloud: { state: 'present', resource: service, asOf },
});
const service = {
  service_id: serviceId.parse('svc-1'),
  name: 'orders',
  created: undefined,
  status: 'READY',
  endpoint: { host: 'db.example.com', port: 5432 },
  resources: [{ spec: { cpu_millis: 1000, memory_gbs: 4 } }],
};

const accepted: readonly Row[] = [
  [
    'a resize that was accepted 5 s ago and is not visible is waited for',
    { spec, ...acceptedAt(noon - 5_000) },
    waited(noon - 5_000, 25_000),
  ],
  [
    'a resize that was accepted 29 s ago and is not visible is looked at again in 2 s',
    { spec, ...acceptedAt(noon - 29_000) },
    waited(noon - 29_000, 2_000),
  ],
  [
    'a resize that was accepted 30 s ago and is not visible is not requested again',
    { spec, ...acceptedAt(noon - 30_000) },
    withoutEffect,
  ],
  [
    'a resize that was accepted a minute ago is waited for if the last look was 29 s after the reply',
    { spec, ...acceptedAt(noon - 60_000), ...seenAt(noon - 31_000) },
    waited(noon - 60_000, 2_000),
  ],
  [
    'a resize without effect is not requested again once the service was at work and is at rest',
    { spec, ...acceptedAt(noon, { wasBusy: true }) },
    withoutEffect,
  ],
  [
    'an accepted resize is waited for if the service was never seen at work',
    { spec, ...acceptedAt(noon, { wasBusy: false }) },
    waited(noon, 30_000),
  ],
  [
    'a resize without effect is requested again after the spec changed',
    { spec, ...acceptedAt(noon - 30_000, { generation: 0 }) },
    again,
  ],
  [
    'a resize is requested once a different size that was accepted had its time',
    { spec, ...acceptedAt(noon - 30_000, { wanted: '4000m/16GB' }) },
    again,
  ],
  [
    'a resize is requested again if the cloud showed a different size at the earlier request',
    { spec, ...acceptedAt(noon - 5_000, { from: '500m/2GB' }) },
    again,
  ],
  [
    'a resize is requested if a different change was accepted',
    { spec, ...acceptedAt(noon - 5_000, { operation: 'setServiceEnvironment' }) },
    again,
  ],
  [
    'a resize that is visible is over',
    {
      spec,
      ...acceptedAt(noon - 5_000),
      seen: { resources: [{ spec: { cpu_millis: 2000, memory_gbs: 8 } }] },
    },
    available,
  ],
];

const notApplied = (...all: readonly object[]) => ({ status: { notApplied: all } });
const other = { operation: 'setServiceEnvironment', from: 'none', wanted: 'DEV' };

const noted: readonly Row[] = [
  [
    'a resize that the status calls without effect is not requested again',
    { spec, ...notApplied(operation) },
    withoutEffect,
  ],
  [
    'a resize that the status calls without effect among other changes is not requested again',
    { spec, ...notApplied(other, operation) },
    withoutEffect,
  ],
  [
    'a resize is requested if the status calls only a different change without effect',
    { spec, ...notApplied(other) },
    again,
  ],
  [
    'a resize is requested if the status calls only a different size without effect',
    { spec, ...notApplied({ ...operation, wanted: '4000m/16GB' }) },
    again,
  ],
  [
    'a resize without effect is requested again if the cloud shows a different size',
    { spec, ...notApplied({ ...operation, from: '500m/2GB' }) },
    again,
  ],
  ['the spec changed since', { spec, ...notApplied({ ...operation, generation: 0 }) }, again],
  [
    'a resize is requested if the status calls it without effect for a lost service',
    { spec, status: { id: 'svc-0', notApplied: [operation] } },
    again,
  ],
];

const rejection = { type: 'stall', reason: 'Rejected', message: 'the cloud refused' } as const;
const refusal = (
  more: object = {},
  key = `resizeService ${wanted}`,
): Pick<GivenService, 'refusals'> => ({
  refusals: new Map([
    [
      key,
      { generation: 1, again: noon + 90_000, times: 1, isUnclear: false, step: rejection, ...more },
    ],
  ]),
});

const refused: readonly Row[] = [
  [
    'a refused resize is reported and tried again when its time comes',
    { spec, ...refusal() },
    { ...rejection, retryAfterMs: 90_000 },
  ],
  [
    'a resize that is refused for an hour is looked at after ten minutes',
    { spec, ...refusal({ again: noon + 3_600_000 }) },
    { ...rejection, retryAfterMs: 600_000 },
  ],
  [
    'a refused resize is requested again when its time has come',
    { spec, ...refusal({ again: noon }) },
    again,
  ],
  ['the spec changed since', { spec, ...refusal({ generation: 0 }) }, again],
  [
    'a resize is requested if only a different size was refused',
    { spec, ...refusal({}, 'resizeService 4000m/16GB') },
    again,
  ],
  [
    'a resize is requested if only a different operation with an equal value was refused',
    { spec, ...refusal({}, `resizeReplicaSet ${wanted}`) },
    again,
  ],
  [
    'a resize that the cloud does not take now is waited for',
    { spec, ...refusal({ step: { type: 'wait', reason: 'WaitingForCloud', message: 'not now' } }) },
    { type: 'wait', reason: 'WaitingForCloud', message: 'not now', afterMs: 90_000 },
  ],
  [
    'a stopped service does not report a refused resize',
    { spec, seen: paused, ...refusal() },
    stopped(
      'the service is stopped; set spec.powerState to Running to start it; when it runs again: size',
    ),
  ],
];

test.each(accepted)('%s', (_, given, expected) => {
  expect(decided(given)).toEqual(expected);
});

test.each(noted)('%s', (_, given, expected) => {
  expect(decided(given)).toEqual(expected);
});

test.each(refused)('%s', (_, given, expected) => {
  expect(decided(given)).toEqual(expected);
});

/** The last operation in the status that a visit leaves. It asked for the environment DEV, and the size is refused, so that nothing is Ready. */
function lastAfter(shown: string, last: object = {}, seen: object = {}) {
  const lastOperation = {
    operation: 'setServiceEnvironment',
    from: 'none',
    wanted: 'DEV',
    generation: 1,
    at: noon - 60_000,
    ...last,
  };
  const given = {
    spec: { ...spec, environment: 'DEV' },
    ...refusal(),
    lastOperation,
    seen: { metadata: { environment: shown }, ...seen },
  };
  const situation = serviceSituation(given);
  return statusAfter(visitOf(serviceKind, situation, decideService(situation)), undefined);
}

test('a change is over once its value is seen, even if a second change is refused, so that a later manual change is undone', () => {
  expect(lastAfter('DEV')).toMatchObject({ lastOperation: undefined });
});

test.each([
  ['the value of the change is not seen', 'none', {}, {}],
  ['the cloud is at work', 'DEV', {}, { status: 'CONFIGURING' }],
  ['the spec changed after the request', 'DEV', { generation: 0 }, {}],
  [
    'the operation is a DELETE',
    'DEV',
    { operation: 'delete', from: undefined, wanted: 'svc-1' },
    {},
  ],
])('a change is not over while %s', (_, shown, last, seen) => {
  expect(lastAfter(shown, last, seen)).toMatchObject({
    lastOperation: { at: '2026-11-21T11:59:00.000Z' },
  });
});

const attach = { operation: 'attachServiceToVpc', from: 'none', wanted: 'vpc-1' };
const detach = { operation: 'detachServiceFromVpc', from: 'vpc-1', wanted: 'none' };
const attached = { vpcEndpoint: { host: 'vpc.example.com', port: 5432, vpc_id: 'vpc-1' } };

test.each([
  ['an attachment is over, also without effect', attach, {}],
  ['a detachment is over, also without effect', detach, attached],
  ['an attachment that is seen is over', attach, attached],
  ['a detachment that is seen is over', detach, {}],
])('while the VPC in the spec cannot be found, %s', (_, request, seen) => {
  const lastOperation = { ...request, generation: 1, at: noon - 60_000 };
  const situation = serviceSituation({
    vpc: { state: 'waiting', message: 'not found' },
    lastOperation,
    seen,
  });
  const after = statusAfter(visitOf(serviceKind, situation, decideService(situation)), undefined);
  expect(after).toMatchObject({ lastOperation: undefined });
});
