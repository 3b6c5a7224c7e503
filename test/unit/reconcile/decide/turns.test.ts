import { changing } from '../../../support/steps.ts';
import { describe } from 'vitest';
import type { LastOperation } from '../../../../src/reconcile/situation/situation.ts';
import type { RefusedChange } from '../../../../src/reconcile/step/outcome.ts';
import { stall, wait } from '../../../../src/reconcile/step/step.ts';
import { decides } from '../../../support/policy-rows.ts';
import { noon, present } from '../../../support/situation.ts';

/**
 * How the operator chooses a change among several, and the result of that change. The examples are size and
 * environment.
 */

const spec = { cpuMillis: 2000, environment: 'DEV' };
const size = { cpuMillis: 2000 };
const resizes = {
  type: 'call',
  reason: 'Resizing',
  action: changing(
    'resizeService',
    ['svc-1', { cpu_millis: '2000', memory_gbs: '4' }],
    '1000m/4GB',
    '2000m/4GB',
  ),
  message: 'resizing from 1000m/4GB to 2000m/4GB',
} as const;
const setsEnvironment = {
  type: 'call',
  reason: 'SettingEnvironment',
  action: changing('setServiceEnvironment', ['svc-1', { environment: 'DEV' }], 'none', 'DEV'),
  message: 'setting the environment from none to DEV',
} as const;
const refused = (
  operation: string,
  inMs: number,
  step = wait('WaitingForCloud', 'the cloud is full'),
  generation = 1,
) =>
  [
    operation,
    { generation, again: noon + inMs, times: 1, isUnclear: false, step } satisfies RefusedChange,
  ] as const;
const refusedSize = (inMs: number, step?: ReturnType<typeof wait>, generation?: number) =>
  refused('resizeService 2000m/4GB', inMs, step, generation);
const refusedEnvironment = (inMs: number) => refused('setServiceEnvironment DEV', inMs);
/** The resize that the cloud accepted. */
const accepted = (agoMs: number, more: Partial<LastOperation> = {}) => ({
  lastOperation: {
    operation: 'resizeService',
    wanted: '2000m/4GB',
    from: '1000m/4GB',
    generation: 1,
    at: noon - agoMs,
    ...more,
  },
});
const settling = (agoMs: number, afterMs: number) =>
  ({
    type: 'wait',
    reason: 'Resizing',
    inProgressSince: noon - agoMs,
    afterMs,
    message: 'resizing from 1000m/4GB to 2000m/4GB',
  }) as const;
const told = (afterMs: number, message = 'the cloud is full') =>
  ({ type: 'wait', reason: 'WaitingForCloud', afterMs, message }) as const;
const withoutEffect = {
  type: 'stall',
  reason: 'NotApplied',
  retryAfterMs: 600_000,
  message:
    'the cloud accepted to resize the service to 2000 millicores, 4 GB but still shows 1000m/4GB: look at the service there; the operator retries when the spec or the cloud changes',
} as const;

describe('of several changes', () => {
  decides([
    [
      'the first is requested, and the message names the rest',
      { spec },
      { ...resizes, message: 'to 2000m/4GB; then: environment' },
    ],
    ['a single change is requested', { spec: size }, resizes],
    [
      'a refused change does not delay the rest',
      { spec, refusals: new Map([refusedSize(60_000)]) },
      { ...setsEnvironment, message: 'to DEV; then: size' },
    ],
    [
      'a change without effect does not delay the rest',
      { spec, ...accepted(30_000) },
      { ...setsEnvironment, message: 'to DEV; then: size' },
    ],
    [
      'only refused changes are reported by the first, and tried again when the earliest is due',
      { spec, refusals: new Map([refusedSize(60_000), refusedEnvironment(20_000)]) },
      told(20_000, 'the cloud is full; then: environment'),
    ],
    [
      'the changes that a stopped service does not take are postponed',
      { spec, seen: { status: 'PAUSED' } },
      {
        type: 'done',
        reason: 'Stopped',
        differs: true,
        message: 'when it runs again: size, environment',
      },
    ],
    [
      'a refused change that a stopped service does not take sets no retry',
      { spec: size, seen: { status: 'PAUSED' }, refusals: new Map([refusedSize(60_000)]) },
      { type: 'done', reason: 'Stopped', differs: true, message: 'when it runs again: size' },
    ],
    [
      'a start is requested first',
      { spec: { ...spec, powerState: 'Running' }, seen: { status: 'PAUSED' } },
      {
        type: 'call',
        reason: 'Starting',
        action: changing('startService', ['svc-1'], 'Stopped', 'Running'),
        message: 'starting the service',
      },
    ],
  ]);
});

describe('a change that the cloud refused', () => {
  const rejected = stall('Rejected', 'the cloud refused to resize the service');
  decides([
    [
      'is not requested again before its retry time',
      { spec: size, refusals: new Map([refusedSize(60_000)]) },
      told(60_000),
    ],
    [
      'is looked at again after ten minutes at the latest',
      { spec: size, refusals: new Map([refusedSize(3_600_000)]) },
      told(600_000),
    ],
    [
      'is requested again at its retry time',
      { spec: size, refusals: new Map([refusedSize(0)]) },
      resizes,
    ],
    [
      'is requested again as soon as the spec changes',
      { spec: size, refusals: new Map([refusedSize(60_000, undefined, 0)]) },
      resizes,
    ],
    [
      'is no reason against another value',
      { spec: { cpuMillis: 4000 }, refusals: new Map([refusedSize(60_000)]) },
      {
        ...resizes,
        action: {
          ...resizes.action,
          wanted: '4000m/4GB',
          change: {
            operation: 'resizeService',
            args: ['svc-1', { cpu_millis: '4000', memory_gbs: '4' }],
          },
        },
        message: 'resizing from 1000m/4GB to 4000m/4GB',
      },
    ],
    [
      'for good is reported as a stall',
      {
        spec: size,
        refusals: new Map([
          [
            'resizeService 2000m/4GB',
            { generation: 1, again: noon + 60_000, times: 1, isUnclear: false, step: rejected },
          ],
        ]),
      },
      {
        type: 'stall',
        reason: 'Rejected',
        retryAfterMs: 60_000,
        message: 'the cloud refused to resize the service',
      },
    ],
  ]);
});

const status = (...notApplied: readonly object[]) => ({ status: { notApplied } });

describe('a change that the cloud accepted', () => {
  const noted = {
    operation: 'resizeService',
    wanted: '2000m/4GB',
    from: '1000m/4GB',
    generation: 1,
  };
  decides([
    [
      'and that is not visible yet is waited for',
      { spec: size, ...accepted(10_000) },
      settling(10_000, 20_000),
    ],
    [
      'and that should be visible soon is looked at after two seconds at the soonest',
      { spec: size, ...accepted(29_500) },
      settling(29_500, 2_000),
    ],
    [
      'delays the rest until it is visible',
      { spec, ...accepted(10_000) },
      { ...settling(10_000, 20_000), message: '; then: environment' },
    ],
    [
      'is waited for until a look that is late enough',
      { spec: size, ...accepted(60_000), cloud: { ...present(), asOf: noon - 50_000 } },
      settling(60_000, 2_000),
    ],
    [
      'and that had no effect is reported, and not requested again',
      { spec: size, ...accepted(30_000) },
      withoutEffect,
    ],
    [
      'and that had no effect is reported at once if the cloud was at work since',
      { spec: size, ...accepted(1_000, { wasBusy: true }) },
      withoutEffect,
    ],
    [
      'and that had no effect is requested again if the spec changed',
      { spec: size, ...accepted(30_000, { generation: 0 }) },
      resizes,
    ],
    [
      'and that had no effect is requested again if the cloud shows a different value',
      { spec: size, ...accepted(30_000, { from: '500m/2GB' }) },
      resizes,
    ],
    [
      'is waited for, also if the spec has another value by now',
      { spec: size, ...accepted(10_000, { wanted: '4000m/4GB' }) },
      {
        ...settling(10_000, 20_000),
        message:
          'resizing from 1000m/4GB to 4000m/4GB, as the spec said before; then the operator applies the present spec',
      },
    ],
    [
      'and that had no effect is no reason against another value',
      { spec: size, ...accepted(30_000, { wanted: '4000m/4GB' }) },
      resizes,
    ],
    [
      'is no reason against another change',
      { spec: size, ...accepted(10_000, { operation: 'attachServiceToVpc' }) },
      resizes,
    ],
    [
      'and that had no effect is remembered after a second accepted change',
      { spec: size, ...status(noted) },
      withoutEffect,
    ],
    [
      'and that the status calls without effect is requested again if the spec changed',
      { spec: size, ...status({ ...noted, generation: 0 }) },
      resizes,
    ],
    [
      'is known by operation and values',
      {
        spec: size,
        ...status(
          { ...noted, operation: 'startService' },
          { ...noted, wanted: '1' },
          { ...noted, from: '1' },
        ),
      },
      resizes,
    ],
  ]);
});
