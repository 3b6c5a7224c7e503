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
const acceptedAt = (at: number, more: object = {}) => ({ lastOperation: { ...operation, at, ...more } });
const waited = (at: number, afterMs: number) => ({ type: 'wait', reason: 'Resizing', message, inProgressSince: at, afterMs });
const withoutEffect = {
  type: 'stall',
  reason: 'NotApplied',
  message: `the cloud accepted to resize the service to 2000 millicores, 8 GB but still shows ${from}: look at the service there; the operator retries when the spec or the cloud changes`,
  retryAfterMs: 600_000,
};
const seenAt = (asOf: number): Pick<GivenService, 'cloud'> => ({ cloud: { state: 'present', resource: service, asOf } });
const service = {
  service_id: serviceId.parse('svc-1'),
  name: 'orders',
  created: undefined,
  status: 'READY',
  endpoint: { host: 'db.example.com', port: 5432 },
  resources: [{ spec: { cpu_millis: 1000, memory_gbs: 4 } }],
};

const accepted: readonly Row[] = [
  ['accepted 5 s ago, and not visible: it is waited for', { spec, ...acceptedAt(noon - 5_000) }, waited(noon - 5_000, 25_000)],
  ['accepted 29 s ago: it is looked at again in 2 s', { spec, ...acceptedAt(noon - 29_000) }, waited(noon - 29_000, 2_000)],
  ['accepted 30 s ago: it came to nothing, and is not asked for again', { spec, ...acceptedAt(noon - 30_000) }, withoutEffect],
  [
    'accepted a minute ago, but the look is of 29 s after that: it is waited for',
    { spec, ...acceptedAt(noon - 60_000), ...seenAt(noon - 31_000) },
    waited(noon - 60_000, 2_000),
  ],
  [
    'the service was at work since, and is at rest again: it came to nothing',
    { spec, ...acceptedAt(noon, { wasBusy: true }) },
    withoutEffect,
  ],
  ['it was not at work as far as anybody saw', { spec, ...acceptedAt(noon, { wasBusy: false }) }, waited(noon, 30_000)],
  ['the spec changed since: it is asked for again', { spec, ...acceptedAt(noon - 30_000, { generation: 0 }) }, again],
  ['another value was accepted', { spec, ...acceptedAt(noon - 5_000, { wanted: '4000m/16GB' }) }, again],
  ['it was accepted while the cloud showed another value', { spec, ...acceptedAt(noon - 5_000, { from: '500m/2GB' }) }, again],
  ['another change was accepted', { spec, ...acceptedAt(noon - 5_000, { operation: 'setServiceEnvironment' }) }, again],
  ['it shows', { spec, ...acceptedAt(noon - 5_000), seen: { resources: [{ spec: { cpu_millis: 2000, memory_gbs: 8 } }] } }, available],
];

const notApplied = (...all: readonly object[]) => ({ status: { notApplied: all } });
const other = { operation: 'setServiceEnvironment', from: 'none', wanted: 'DEV' };

const noted: readonly Row[] = [
  ['status says that it came to nothing', { spec, ...notApplied(operation) }, withoutEffect],
  ['status says so of it, among others', { spec, ...notApplied(other, operation) }, withoutEffect],
  ['status says so of another change', { spec, ...notApplied(other) }, again],
  ['status says so of another value', { spec, ...notApplied({ ...operation, wanted: '4000m/16GB' }) }, again],
  ['the cloud shows another value since', { spec, ...notApplied({ ...operation, from: '500m/2GB' }) }, again],
  ['the spec changed since', { spec, ...notApplied({ ...operation, generation: 0 }) }, again],
  ['status says so of a lost service', { spec, status: { id: 'svc-0', notApplied: [operation] } }, again],
];

const rejection = { type: 'stall', reason: 'Rejected', message: 'the cloud refused' } as const;
const refusal = (more: object = {}, key = `resizeService ${wanted}`): Pick<GivenService, 'refusals'> => ({
  refusals: new Map([[key, { generation: 1, again: noon + 90_000, times: 1, step: rejection, ...more }]]),
});

const refused: readonly Row[] = [
  ['refused a while ago: it is told, and tried again in time', { spec, ...refusal() }, { ...rejection, retryAfterMs: 90_000 }],
  [
    'refused for an hour: it is looked at after ten minutes',
    { spec, ...refusal({ again: noon + 3_600_000 }) },
    { ...rejection, retryAfterMs: 600_000 },
  ],
  ['its time has come', { spec, ...refusal({ again: noon }) }, again],
  ['the spec changed since', { spec, ...refusal({ generation: 0 }) }, again],
  ['another value was refused', { spec, ...refusal({}, 'resizeService 4000m/16GB') }, again],
  ['the same value of another change was refused', { spec, ...refusal({}, `resizeReplicaSet ${wanted}`) }, again],
  [
    'what the cloud does not take now is waited for',
    { spec, ...refusal({ step: { type: 'wait', reason: 'WaitingForCloud', message: 'not now' } }) },
    { type: 'wait', reason: 'WaitingForCloud', message: 'not now', afterMs: 90_000 },
  ],
  [
    'a stopped service tells nothing of it',
    { spec, seen: paused, ...refusal() },
    stopped('the service is stopped; set spec.powerState to Running to start it; when it runs again: size'),
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
  const lastOperation = { operation: 'setServiceEnvironment', from: 'none', wanted: 'DEV', generation: 1, at: noon - 60_000, ...last };
  const given = {
    spec: { ...spec, environment: 'DEV' },
    ...refusal(),
    lastOperation,
    seen: { metadata: { environment: shown }, ...seen },
  };
  const situation = serviceSituation(given);
  return statusAfter(visitOf(serviceKind, situation, decideService(situation)), undefined);
}

test('a change is over when its value is seen, though another one is refused: undone by a person, it is asked for again', () => {
  expect(lastAfter('DEV')).toMatchObject({ lastOperation: undefined });
});

test.each([
  ['its value is not seen', 'none', {}, {}],
  ['the cloud is at work', 'DEV', {}, { status: 'CONFIGURING' }],
  ['the spec changed since: what is seen may be from before it', 'DEV', { generation: 0 }, {}],
  ['it is no change of a value', 'DEV', { operation: 'delete', from: undefined, wanted: 'svc-1' }, {}],
])('a change is not over while %s', (_, shown, last, seen) => {
  expect(lastAfter(shown, last, seen)).toMatchObject({ lastOperation: { at: '2026-11-21T11:59:00.000Z' } });
});

const attach = { operation: 'attachServiceToVpc', from: 'none', wanted: 'vpc-1' };
const detach = { operation: 'detachServiceFromVpc', from: 'vpc-1', wanted: 'none' };
const attached = { vpcEndpoint: { host: 'vpc.example.com', port: 5432, vpc_id: 'vpc-1' } };

test.each([
  ['an attachment that shows no effect is not', attach, {}, false],
  ['a detachment that shows no effect is not', detach, attached, false],
  ['an attachment that is seen is', attach, attached, true],
  ['a detachment that is seen is', detach, {}, true],
])('while the VPC in the spec cannot be found, %s over', (_, request, seen, isOver) => {
  const lastOperation = { ...request, generation: 1, at: noon - 60_000 };
  const situation = serviceSituation({ vpc: { state: 'waiting', message: 'not found' }, lastOperation, seen });
  const after = statusAfter(visitOf(serviceKind, situation, decideService(situation)), undefined);
  expect(after).toMatchObject({ lastOperation: isOver ? undefined : request });
});
