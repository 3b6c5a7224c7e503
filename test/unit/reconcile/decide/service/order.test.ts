import { expect, test } from 'vitest';
import { vpcId } from '../../../../../src/cloud/wire/vpc.ts';
import type { Step } from '../../../../../src/reconcile/step/step.ts';
import { absent, current, unusable } from '../../../../support/our-secret.ts';
import { everyChange, serviceChanges } from '../../../../support/service-values.ts';
import { noon, recordOf, type GivenService } from '../../../../support/situation.ts';
import { decided, type Row } from '../../../../support/decided.ts';
import { actionLike } from '../../../../support/step-like.ts';
import { asked, paused, stopped, stored } from '../../../../support/steps.ts';
import type { RefusedChange } from '../../../../../src/reconcile/step/outcome.ts';

/**
 * A single change at a time: which change is first, how the message names the other changes, and which changes let
 * them pass.
 */

const size = { cpuMillis: 2000, memoryGbs: 8 };
const replicas = { highAvailability: { replicaCount: 1 } };
const environment = { environment: 'DEV' };
const stop = { powerState: 'Stopped' };

const resize = (then: string) =>
  asked(
    { operation: 'resizeService', size: { cpu_millis: '2000', memory_gbs: '8' } },
    '1000m/4GB',
    '2000m/8GB',
    'Resizing',
    `resizing from 1000m/4GB to 2000m/8GB${then}`,
  );
const setEnvironment = (then: string) =>
  asked(
    { operation: 'setServiceEnvironment', body: { environment: 'DEV' } },
    'none',
    'DEV',
    'SettingEnvironment',
    `setting the environment from none to DEV${then}`,
  );

const rotated: GivenService = { password: { state: 'rotated', origin: 'rotation r1' } };
const setPassword = (then: string) => ({
  type: 'call',
  action: actionLike({
    type: 'setPassword',
    id: 'svc-1',
    origin: 'rotation r1',
    source: undefined,
    supersedes: false,
  }),
  reason: 'RotatingPassword',
  message: `setting a new password, as spec.password.rotation asks${then}`,
});
const attachedTo = (id: string) => ({
  vpcEndpoint: { host: 'vpc.example.com', port: 5432, vpc_id: id },
});
const toVpc: GivenService = { vpc: { state: 'found', id: vpcId.parse('vpc-1') } };
const ours = { record: recordOf('svc-1', { vpcAttachment: 'vpc-1' }) };

const first: readonly Row[] = [
  [
    'a stopped service is started before anything else is changed',
    { ...rotated, spec: { ...size, powerState: 'Running' }, seen: paused },
    asked({ operation: 'startService' }, 'Stopped', 'Running', 'Starting', 'starting the service'),
  ],
  [
    'the password is set before the VPC is left',
    { ...rotated, ...ours, seen: attachedTo('vpc-1') },
    setPassword('; then: detaching from VPC vpc-1'),
  ],
  ['the password is set before the size', { ...rotated, spec: size }, setPassword('; then: size')],
  [
    'a VPC is left before another is attached, and before the size',
    { ...toVpc, spec: size, seen: attachedTo('vpc-2') },
    asked(
      { operation: 'detachServiceFromVpc', body: { vpc_id: 'vpc-2' } },
      'vpc-2',
      'vpc-1',
      'DetachingVpc',
      'detaching from VPC vpc-2; then: size',
    ),
  ],
  [
    'a VPC is attached before the size is changed',
    { ...toVpc, ...ours, spec: size },
    asked(
      { operation: 'attachServiceToVpc', body: { vpc_id: 'vpc-1' } },
      'none',
      'vpc-1',
      'AttachingVpc',
      'attaching to VPC vpc-1; then: size',
    ),
  ],
  [
    'the size comes before the replicas',
    { spec: { ...size, ...replicas } },
    resize('; then: high availability'),
  ],
  [
    'each value has its place, and stopping is the last of all: a stopped service takes no change',
    { ...rotated, spec: { ...stop, ...everyChange } },
    setPassword(`; then: ${[...serviceChanges.map(({ name }) => name), 'stopping'].join(', ')}`),
  ],
];

const rejected = {
  type: 'stall',
  reason: 'Rejected',
  message: 'the cloud refused the size',
} as const;
const notNow = { type: 'wait', reason: 'WaitingForCloud', message: 'not now' } as const;
const refused = (key: string, inMs: number, step: Step): readonly [string, RefusedChange] => [
  key,
  { generation: 1, again: noon + inMs, times: 1, isUnclear: false, step },
];
const sizeRefused = refused('resizeService 2000m/8GB', 400_000, rejected);
const environmentRefused = refused('setServiceEnvironment DEV', 2_000, notNow);
const acceptedSize = {
  operation: 'resizeService',
  from: '1000m/4GB',
  wanted: '2000m/8GB',
  generation: 1,
};
const awaited: GivenService = {
  password: { state: 'waiting', message: 'spec.password.secretRef "mine" not found' },
};

const passed: readonly Row[] = [
  [
    'a change that was refused lets the next go on',
    { spec: { ...size, ...environment }, refusals: new Map([sizeRefused]) },
    setEnvironment('; then: size'),
  ],
  [
    'a change without effect lets the next go on',
    { spec: { ...size, ...environment }, status: { notApplied: [acceptedSize] } },
    setEnvironment('; then: size'),
  ],
  [
    'a change that was accepted and does not show yet lets nothing pass',
    { spec: { ...size, ...environment }, lastOperation: { ...acceptedSize, at: noon } },
    {
      type: 'wait',
      reason: 'Resizing',
      message: 'resizing from 1000m/4GB to 2000m/8GB; then: environment',
      inProgressSince: noon,
      afterMs: 30_000,
    },
  ],
  [
    'a password that is waited for does not delay a resize',
    { ...awaited, spec: size },
    resize('; then: password'),
  ],
  [
    'a refused password does not delay a resize',
    { password: { state: 'refused', message: 'it comes back' }, spec: size },
    resize('; then: password'),
  ],
  [
    'a refused change lets the service stop',
    { spec: { ...size, ...stop }, refusals: new Map([sizeRefused]) },
    asked(
      { operation: 'stopService' },
      'Running',
      'Stopped',
      'Stopping',
      'stopping the service; then: size',
    ),
  ],
  [
    'if all changes are refused, the first is reported, and the visit is repeated when the earliest is due',
    { spec: { ...size, ...environment }, refusals: new Map([sizeRefused, environmentRefused]) },
    { ...rejected, message: 'the cloud refused the size; then: environment', retryAfterMs: 2_000 },
  ],
  [
    'a refused start of a stopped service is told, and what waits for it is not tried',
    {
      spec: { ...size, powerState: 'Running' },
      seen: paused,
      refusals: new Map([refused('startService Running', 5_000, notNow)]),
    },
    { ...notNow, afterMs: 5_000 },
  ],
  [
    'a stopped service that shall run has its size changed later',
    { spec: size, seen: paused },
    stopped(
      'the service is stopped; set spec.powerState to Running to start it; when it runs again: size',
    ),
  ],
];

const around: readonly Row[] = [
  [
    'a change goes before the connection Secret is created',
    { spec: size, secret: absent() },
    resize(''),
  ],
  [
    'the connection Secret is created while a change is refused',
    { spec: size, secret: absent(), refusals: new Map([sizeRefused]) },
    stored('is missing or lost its label'),
  ],
  [
    'a change goes before the Secret of an earlier name is deleted',
    { spec: size, secret: current({}, ['before']) },
    resize(''),
  ],
  [
    'a refused change is told before a VPC that is waited for',
    {
      spec: size,
      vpc: { state: 'waiting', message: 'spec.vpcRef "prod" not found' },
      refusals: new Map([sizeRefused]),
    },
    { ...rejected, retryAfterMs: 400_000 },
  ],
  [
    'a change goes on while a VPC is waited for',
    { spec: size, vpc: { state: 'waiting', message: 'spec.vpcRef "prod" not found' } },
    resize(''),
  ],
  [
    'a foreign Secret of the name is told before a refused change',
    { spec: size, secret: unusable, refusals: new Map([sizeRefused]) },
    unusable.why,
  ],
];

test.each(first)('%s', (_, given, expected) => {
  expect(decided(given)).toEqual(expected);
});

test.each(passed)('%s', (_, given, expected) => {
  expect(decided(given)).toEqual(expected);
});

test.each(around)('%s', (_, given, expected) => {
  expect(decided(given)).toEqual(expected);
});
