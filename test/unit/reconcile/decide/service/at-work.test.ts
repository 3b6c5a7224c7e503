import { expect, test } from 'vitest';
import { vpcId } from '../../../../../src/cloud/wire/vpc.ts';
import { morning, noon, recordOf, type GivenService } from '../../../../support/situation.ts';
import { decided, type Row } from '../../../../support/decided.ts';
import { rotate } from '../../../../support/passwords.ts';
import { asked, recorded } from '../../../../support/steps.ts';

/**
 * While the cloud works on the service, the operator changes nothing; the message names the current work and the
 * next change.
 */

const claimed = Date.parse(morning);
const waited = (reason: string, message: string, inProgressSince = claimed) => ({
  type: 'wait',
  reason,
  message,
  inProgressSince,
});
const creating = (state: string) =>
  waited('Creating', `the cloud is creating the service (${state})`);
const busy = (words: string) =>
  waited('WaitingForCloud', `the cloud is at work on the service (${words})`);
const inState = (status: string): Pick<GivenService, 'seen'> => ({ seen: { status } });
const was = (state: string) => ({ status: { state } });
const told = (reason: string) => {
  const condition = {
    type: 'Synced',
    status: 'False',
    reason,
    message: '',
    lastTransitionTime: morning,
  };
  return { status: { state: 'CONFIGURING', conditions: [condition] } };
};

const begun: readonly Row[] = [
  ['a new one is QUEUED', inState('QUEUED'), creating('QUEUED')],
  ['a new one is CONFIGURING', inState('CONFIGURING'), creating('CONFIGURING')],
  [
    'a service that was QUEUED before is being created',
    { ...inState('CONFIGURING'), ...was('QUEUED') },
    creating('CONFIGURING'),
  ],
  [
    'a service that was CONFIGURING before is being created',
    { ...inState('QUEUED'), ...was('CONFIGURING') },
    creating('QUEUED'),
  ],
  [
    'a service that was READY before is at work',
    { ...inState('CONFIGURING'), ...was('READY') },
    busy('CONFIGURING'),
  ],
  [
    'a service whose status says Creating is being created',
    { ...inState('CONFIGURING'), ...told('Creating') },
    creating('CONFIGURING'),
  ],
  [
    'a service whose status says that it was Ready is at work',
    { ...inState('CONFIGURING'), ...told('WaitingForCloud') },
    busy('CONFIGURING'),
  ],
  ['an UNSTABLE service is at work', inState('UNSTABLE'), busy('UNSTABLE')],
  ['a service in an unknown state is at work', inState('DANCING'), busy('DANCING')],
  ['a service without a state is at work', { seen: { status: undefined } }, busy('no state')],
  [
    'a PAUSING service is being stopped',
    inState('PAUSING'),
    waited('Stopping', 'the cloud is stopping the service (PAUSING)'),
  ],
  [
    'a RESUMING service is being started',
    inState('RESUMING'),
    waited('Starting', 'the cloud is starting the service (RESUMING)'),
  ],
];

const acceptedAt = noon - 20_000;
const last = (operation: string, wanted: string) => ({
  lastOperation: { operation, wanted, from: '', at: acceptedAt },
});
const onIt = (reason: string, words: string, state = 'CONFIGURING') =>
  waited(reason, `${words} (${state})`, acceptedAt);

const ours: readonly Row[] = [
  [
    'a resize',
    { ...inState('CONFIGURING'), ...last('resizeService', '2000m/8GB') },
    onIt('Resizing', 'resizing to 2000m/8GB'),
  ],
  [
    'replicas',
    { ...inState('CONFIGURING'), ...last('setServiceHighAvailability', '2 (1 synchronous)') },
    onIt(
      'ConfiguringHighAvailability',
      'changing the high-availability replicas to 2 (1 synchronous)',
    ),
  ],
  [
    'an attachment',
    { ...inState('CONFIGURING'), ...last('attachServiceToVpc', 'vpc-1') },
    onIt('AttachingVpc', 'attaching to VPC vpc-1'),
  ],
  [
    'a detachment is reported with its target',
    { ...inState('CONFIGURING'), ...last('detachServiceFromVpc', 'none') },
    onIt('DetachingVpc', 'detaching from its VPC, on the way to none'),
  ],
  [
    'a start',
    { ...inState('RESUMING'), ...last('startService', 'Running') },
    onIt('Starting', 'starting the service', 'RESUMING'),
  ],
  [
    'a stop',
    { ...inState('PAUSING'), ...last('stopService', 'Stopped') },
    onIt('Stopping', 'stopping the service', 'PAUSING'),
  ],
  [
    'a change that is visible at once is not named as the work of the cloud',
    { ...inState('CONFIGURING'), ...last('setServiceEnvironment', 'DEV') },
    onIt('WaitingForCloud', 'the cloud is at work on the service'),
  ],
  [
    'a resize is not named while the cloud is UPGRADING',
    { ...inState('UPGRADING'), ...last('resizeService', '2000m/8GB') },
    onIt('WaitingForCloud', 'the cloud is at work on the service', 'UPGRADING'),
  ],
];

const since: readonly Row[] = [
  [
    'the time of the visit counts if the record has no start time',
    { ...inState('QUEUED'), record: recordOf('svc-1', { claimedAt: undefined }) },
    waited('Creating', 'the cloud is creating the service (QUEUED)', noon),
  ],
];

const spec = { cpuMillis: 2000, memoryGbs: 8, environment: 'DEV' };
const follows: readonly Row[] = [
  [
    'the message about work of the cloud names the further changes of the spec',
    { spec, ...inState('CONFIGURING') },
    waited('Creating', 'the cloud is creating the service (CONFIGURING); then: size, environment'),
  ],
  [
    'the message about work of the cloud names its change only once',
    { spec, ...inState('CONFIGURING'), ...last('resizeService', '2000m/8GB') },
    waited('Resizing', 'resizing to 2000m/8GB (CONFIGURING); then: environment', acceptedAt),
  ],
  [
    'the message about work of the cloud names an attachment that is not recorded yet',
    { vpc: { state: 'found', id: vpcId.parse('vpc-1') }, ...inState('CONFIGURING') },
    waited(
      'Creating',
      'the cloud is creating the service (CONFIGURING); then: attaching to VPC vpc-1',
    ),
  ],
  [
    'the message about a creation names a later stop',
    { spec: { powerState: 'Stopped' }, ...inState('QUEUED') },
    waited('Creating', 'the cloud is creating the service (QUEUED); then: stopping'),
  ],
  [
    'the message about a creation names a later password',
    { ...rotate, ...inState('CONFIGURING') },
    waited('Creating', 'the cloud is creating the service (CONFIGURING); then: password'),
  ],
];

const lasting = (ms: number, state = 'UNSTABLE') => ({
  status: { state, stateSince: new Date(noon - ms).toISOString() },
});
const size = { cpuMillis: 2000, memoryGbs: 8 };
const resize = asked(
  { operation: 'resizeService', size: { cpu_millis: '2000', memory_gbs: '8' } },
  '1000m/4GB',
  '2000m/8GB',
  'Resizing',
  'resizing from 1000m/4GB to 2000m/8GB',
);
const refusedSize: GivenService = {
  refusals: new Map([
    [
      'resizeService 2000m/8GB',
      {
        generation: 1,
        again: noon + 60_000,
        times: 1,
        isUnclear: false,
        step: { type: 'stall', reason: 'Rejected', message: 'the cloud refused' },
      },
    ],
  ]),
};

const stuck: readonly Row[] = [
  [
    'a service that is UNSTABLE for ten minutes gets a change',
    { spec: size, ...inState('UNSTABLE'), ...lasting(600_000, 'UNSTABLE') },
    resize,
  ],
  [
    'a service that is UNSTABLE for less than ten minutes gets no change',
    { spec: size, ...inState('UNSTABLE'), ...lasting(599_999, 'UNSTABLE') },
    waited('WaitingForCloud', 'the cloud is at work on the service (UNSTABLE); then: size'),
  ],
  [
    'a service that is CONFIGURING for ten minutes gets no change',
    { spec: size, ...inState('CONFIGURING'), ...lasting(600_000, 'CONFIGURING') },
    waited('Creating', 'the cloud is creating the service (CONFIGURING); then: size'),
  ],
  [
    'a service that is UNSTABLE for ten minutes does not get a refused change',
    { spec: size, ...inState('UNSTABLE'), ...lasting(600_000, 'UNSTABLE'), ...refusedSize },
    waited('WaitingForCloud', 'the cloud is at work on the service (UNSTABLE); then: size'),
  ],
  [
    'a service that is UNSTABLE for ten minutes gets no password',
    { ...rotate, ...inState('UNSTABLE'), ...lasting(600_000, 'UNSTABLE') },
    waited('WaitingForCloud', 'the cloud is at work on the service (UNSTABLE); then: password'),
  ],
  [
    'a service that is UNSTABLE for ten minutes names a refused change and a password in the message',
    {
      spec: size,
      ...rotate,
      ...inState('UNSTABLE'),
      ...lasting(600_000, 'UNSTABLE'),
      ...refusedSize,
    },
    waited(
      'WaitingForCloud',
      'the cloud is at work on the service (UNSTABLE); then: password, size',
    ),
  ],
  [
    'a service that is UNSTABLE for ten minutes and matches its spec is waited for',
    { ...inState('UNSTABLE'), ...lasting(600_000, 'UNSTABLE') },
    busy('UNSTABLE'),
  ],
  [
    'a service that is UNSTABLE for ten minutes gets an attachment recorded',
    {
      vpc: { state: 'found', id: vpcId.parse('vpc-1') },
      ...inState('UNSTABLE'),
      ...lasting(600_000, 'UNSTABLE'),
    },
    recorded(recordOf('svc-1', { vpcAttachment: 'vpc-1' }), 'VPC vpc-1 is about to be attached'),
  ],
  [
    'a service that is UNSTABLE for ten minutes is stopped if the spec says so',
    { spec: { powerState: 'Stopped' }, ...inState('UNSTABLE'), ...lasting(600_000, 'UNSTABLE') },
    asked({ operation: 'stopService' }, 'Running', 'Stopped', 'Stopping', 'stopping the service'),
  ],
  [
    'a service that is UNSTABLE for ten minutes gets the next change after a refused change',
    {
      spec: { ...size, environment: 'DEV' },
      ...inState('UNSTABLE'),
      ...lasting(600_000, 'UNSTABLE'),
      ...refusedSize,
    },
    asked(
      { operation: 'setServiceEnvironment', body: { environment: 'DEV' } },
      'none',
      'DEV',
      'SettingEnvironment',
      'setting the environment from none to DEV; then: size',
    ),
  ],
];

test.each(begun)(
  'the reported work of a service without a request of the operator: %s',
  (_, given, expected) => {
    expect(decided(given)).toEqual(expected);
  },
);

test.each([...ours, ...since])(
  'the reported work of a service after a request of the operator: %s',
  (_, given, expected) => {
    expect(decided(given)).toEqual(expected);
  },
);

test.each(follows)('%s', (_, given, expected) => {
  expect(decided(given)).toEqual(expected);
});

test.each(stuck)('%s', (_, given, expected) => {
  expect(decided(given)).toEqual(expected);
});
