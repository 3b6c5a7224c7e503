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
const waited = (reason: string, message: string, inProgressSince = claimed) => ({ type: 'wait', reason, message, inProgressSince });
const creating = (state: string) => waited('Creating', `the cloud is creating the service (${state})`);
const busy = (words: string) => waited('WaitingForCloud', `the cloud is at work on the service (${words})`);
const inState = (status: string): Pick<GivenService, 'seen'> => ({ seen: { status } });
const was = (state: string) => ({ status: { state } });
const told = (reason: string) => {
  const condition = { type: 'Synced', status: 'False', reason, message: '', lastTransitionTime: morning };
  return { status: { state: 'CONFIGURING', conditions: [condition] } };
};

const begun: readonly Row[] = [
  ['a new one is QUEUED', inState('QUEUED'), creating('QUEUED')],
  ['a new one is CONFIGURING', inState('CONFIGURING'), creating('CONFIGURING')],
  ['it was QUEUED before', { ...inState('CONFIGURING'), ...was('QUEUED') }, creating('CONFIGURING')],
  ['it was CONFIGURING before', { ...inState('QUEUED'), ...was('CONFIGURING') }, creating('QUEUED')],
  ['it was READY before: somebody else has it changed', { ...inState('CONFIGURING'), ...was('READY') }, busy('CONFIGURING')],
  ['its status says Creating', { ...inState('CONFIGURING'), ...told('Creating') }, creating('CONFIGURING')],
  ['its status says that it was Ready once', { ...inState('CONFIGURING'), ...told('WaitingForCloud') }, busy('CONFIGURING')],
  ['it is UNSTABLE', inState('UNSTABLE'), busy('UNSTABLE')],
  ['it is in a state that nobody knows', inState('DANCING'), busy('DANCING')],
  ['the cloud tells no state', { seen: { status: undefined } }, busy('no state')],
  ['somebody stops it', inState('PAUSING'), waited('Stopping', 'the cloud is stopping the service (PAUSING)')],
  ['somebody starts it', inState('RESUMING'), waited('Starting', 'the cloud is starting the service (RESUMING)')],
];

const acceptedAt = noon - 20_000;
const last = (operation: string, wanted: string) => ({ lastOperation: { operation, wanted, from: '', at: acceptedAt } });
const onIt = (reason: string, words: string, state = 'CONFIGURING') => waited(reason, `${words} (${state})`, acceptedAt);

const ours: readonly Row[] = [
  ['a resize', { ...inState('CONFIGURING'), ...last('resizeService', '2000m/8GB') }, onIt('Resizing', 'resizing to 2000m/8GB')],
  [
    'replicas',
    { ...inState('CONFIGURING'), ...last('setServiceHighAvailability', '2 (1 synchronous)') },
    onIt('ConfiguringHighAvailability', 'changing the high-availability replicas to 2 (1 synchronous)'),
  ],
  ['an attachment', { ...inState('CONFIGURING'), ...last('attachServiceToVpc', 'vpc-1') }, onIt('AttachingVpc', 'attaching to VPC vpc-1')],
  [
    'a detachment, and to where',
    { ...inState('CONFIGURING'), ...last('detachServiceFromVpc', 'none') },
    onIt('DetachingVpc', 'detaching from its VPC, on the way to none'),
  ],
  ['a start', { ...inState('RESUMING'), ...last('startService', 'Running') }, onIt('Starting', 'starting the service', 'RESUMING')],
  ['a stop', { ...inState('PAUSING'), ...last('stopService', 'Stopped') }, onIt('Stopping', 'stopping the service', 'PAUSING')],
  [
    'a change that shows at once: it is not what the cloud is at work on',
    { ...inState('CONFIGURING'), ...last('setServiceEnvironment', 'DEV') },
    onIt('WaitingForCloud', 'the cloud is at work on the service'),
  ],
  [
    'a resize, but the cloud does something of its own',
    { ...inState('UPGRADING'), ...last('resizeService', '2000m/8GB') },
    onIt('WaitingForCloud', 'the cloud is at work on the service', 'UPGRADING'),
  ],
];

const since: readonly Row[] = [
  [
    'of a record that does not say when it began, now counts',
    { ...inState('QUEUED'), record: recordOf('svc-1', { claimedAt: undefined }) },
    waited('Creating', 'the cloud is creating the service (QUEUED)', noon),
  ],
];

const spec = { cpuMillis: 2000, memoryGbs: 8, environment: 'DEV' };
const follows: readonly Row[] = [
  [
    'what the spec still wants comes then',
    { spec, ...inState('CONFIGURING') },
    waited('Creating', 'the cloud is creating the service (CONFIGURING); then: size, environment'),
  ],
  [
    'what the cloud is at work on does not come once more',
    { spec, ...inState('CONFIGURING'), ...last('resizeService', '2000m/8GB') },
    waited('Resizing', 'resizing to 2000m/8GB (CONFIGURING); then: environment', acceptedAt),
  ],
  [
    'what begins with a note in the record comes then, too',
    { vpc: { state: 'found', id: vpcId.parse('vpc-1') }, ...inState('CONFIGURING') },
    waited('Creating', 'the cloud is creating the service (CONFIGURING); then: attaching to VPC vpc-1'),
  ],
  [
    'stopping comes when it is made',
    { spec: { powerState: 'Stopped' }, ...inState('QUEUED') },
    waited('Creating', 'the cloud is creating the service (QUEUED); then: stopping'),
  ],
  [
    'a password is set when it is READY',
    { ...rotate, ...inState('CONFIGURING') },
    waited('Creating', 'the cloud is creating the service (CONFIGURING); then: password'),
  ],
];

const lasting = (ms: number, state = 'UNSTABLE') => ({ status: { state, stateSince: new Date(noon - ms).toISOString() } });
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
      { generation: 1, again: noon + 60_000, times: 1, step: { type: 'stall', reason: 'Rejected', message: 'the cloud refused' } },
    ],
  ]),
};

const stuck: readonly Row[] = [
  ['UNSTABLE for ten minutes: a change is tried', { spec: size, ...inState('UNSTABLE'), ...lasting(600_000, 'UNSTABLE') }, resize],
  [
    'UNSTABLE for less: it is waited for',
    { spec: size, ...inState('UNSTABLE'), ...lasting(599_999, 'UNSTABLE') },
    waited('WaitingForCloud', 'the cloud is at work on the service (UNSTABLE); then: size'),
  ],
  [
    'CONFIGURING for ten minutes: that ends by itself',
    { spec: size, ...inState('CONFIGURING'), ...lasting(600_000, 'CONFIGURING') },
    waited('Creating', 'the cloud is creating the service (CONFIGURING); then: size'),
  ],
  [
    'UNSTABLE for ten minutes, and the change was refused: it is waited for',
    { spec: size, ...inState('UNSTABLE'), ...lasting(600_000, 'UNSTABLE'), ...refusedSize },
    waited('WaitingForCloud', 'the cloud is at work on the service (UNSTABLE); then: size'),
  ],
  [
    'UNSTABLE for ten minutes: a password is not tried, and waits',
    { ...rotate, ...inState('UNSTABLE'), ...lasting(600_000, 'UNSTABLE') },
    waited('WaitingForCloud', 'the cloud is at work on the service (UNSTABLE); then: password'),
  ],
  [
    'UNSTABLE for ten minutes: the change that was refused and the password are both named',
    { spec: size, ...rotate, ...inState('UNSTABLE'), ...lasting(600_000, 'UNSTABLE'), ...refusedSize },
    waited('WaitingForCloud', 'the cloud is at work on the service (UNSTABLE); then: password, size'),
  ],
  ['UNSTABLE for ten minutes, and nothing is to be changed', { ...inState('UNSTABLE'), ...lasting(600_000, 'UNSTABLE') }, busy('UNSTABLE')],
  [
    'UNSTABLE for ten minutes: a change that begins with a note in the record begins',
    { vpc: { state: 'found', id: vpcId.parse('vpc-1') }, ...inState('UNSTABLE'), ...lasting(600_000, 'UNSTABLE') },
    recorded(recordOf('svc-1', { vpcAttachment: 'vpc-1' }), 'VPC vpc-1 is about to be attached'),
  ],
  [
    'UNSTABLE for ten minutes: it is stopped as asked',
    { spec: { powerState: 'Stopped' }, ...inState('UNSTABLE'), ...lasting(600_000, 'UNSTABLE') },
    asked({ operation: 'stopService' }, 'Running', 'Stopped', 'Stopping', 'stopping the service'),
  ],
  [
    'UNSTABLE for ten minutes: the change that was refused waits, the other is tried',
    { spec: { ...size, environment: 'DEV' }, ...inState('UNSTABLE'), ...lasting(600_000, 'UNSTABLE'), ...refusedSize },
    asked(
      { operation: 'setServiceEnvironment', body: { environment: 'DEV' } },
      'none',
      'DEV',
      'SettingEnvironment',
      'setting the environment from none to DEV; then: size',
    ),
  ],
];

test.each(begun)('nobody asked for anything here: %s', (_, given, expected) => {
  expect(decided(given)).toEqual(expected);
});

test.each([...ours, ...since])('this object asked for it: %s', (_, given, expected) => {
  expect(decided(given)).toEqual(expected);
});

test.each(follows)('%s', (_, given, expected) => {
  expect(decided(given)).toEqual(expected);
});

test.each(stuck)('%s', (_, given, expected) => {
  expect(decided(given)).toEqual(expected);
});
