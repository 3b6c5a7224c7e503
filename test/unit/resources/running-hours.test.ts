import { describe, expect, test } from 'vitest';
import { annotations } from '../../../src/resources/annotations.ts';
import { managedServices } from '../../../src/resources/managed-service.ts';
import {
  hoursLevel,
  wakeNote,
  nextPowerChange,
  nextStart,
  wantedPower,
} from '../../../src/resources/running-hours.ts';

const office = { runningHours: ['Mon-Fri 07:00-20:00 Europe/Berlin'] };

function serviceWith(spec: object, awakeUntil?: string) {
  const texts = awakeUntil === undefined ? {} : { [annotations.awakeUntil]: awakeUntil };
  return managedServices.parse({
    metadata: {
      name: 'dev',
      namespace: 'shop',
      uid: 'u',
      resourceVersion: '1',
      annotations: texts,
    },
    spec,
  });
}

const wake = '2026-11-28T18:00:00Z';

// 2026-11-27 is a Friday; Berlin is an hour ahead of UTC.
test.each([
  ['hours are open', '2026-11-27T12:00:00Z', office, undefined, 'Running'],
  ['hours begin', '2026-11-27T06:00:00Z', office, undefined, 'Running'],
  ['hours ended less than five minutes ago', '2026-11-27T19:04:59Z', office, undefined, undefined],
  ['hours ended five minutes ago', '2026-11-27T19:05:00Z', office, undefined, 'Stopped'],
  ['hours begin in less than five minutes', '2026-11-27T05:56:00Z', office, undefined, undefined],
  ['hours begin in six minutes', '2026-11-27T05:54:00Z', office, undefined, 'Stopped'],
  ['it is the weekend', '2026-11-28T12:00:00Z', office, undefined, 'Stopped'],
  ['a wake is ahead', '2026-11-28T17:59:59Z', office, wake, 'Running'],
  ['a wake ended less than five minutes ago', '2026-11-28T18:04:59Z', office, wake, undefined],
  ['a wake ended five minutes ago', '2026-11-28T18:05:00Z', office, wake, 'Stopped'],
  ['a wake is many days ahead', '2026-11-14T12:00:00Z', office, wake, 'Running'],
  ['a wake is no time', '2026-11-28T12:00:00Z', office, 'tomorrow', 'Stopped'],
  ['a wake has no zone', '2026-11-28T12:00:00Z', office, '2026-11-28T18:00:00', 'Stopped'],
  ['a wake has an offset', '2026-11-28T12:00:00Z', office, '2026-11-28T19:00:00+01:00', 'Running'],
  [
    'the second of two hours is open',
    '2026-11-28T12:00:00Z',
    { runningHours: [...office.runningHours, 'Sat 12:00-14:00 UTC'] },
    undefined,
    'Running',
  ],
  [
    'the spec has only a power state',
    '2026-11-28T12:00:00Z',
    { powerState: 'Running' },
    undefined,
    'Running',
  ],
  ['the spec has neither, but a wake', '2026-11-28T12:00:00Z', {}, wake, undefined],
  [
    'summer time has begun in Auckland',
    '2026-09-27T18:00:00Z',
    { runningHours: ['Mon-Fri 07:00-20:00 Pacific/Auckland'] },
    undefined,
    'Running',
  ],
  [
    'it is a second before 07:00 in Auckland',
    '2026-09-27T17:59:59Z',
    { runningHours: ['Mon-Fri 07:00-20:00 Pacific/Auckland'] },
    undefined,
    undefined,
  ],
] as const)('the wanted power while %s', (_, at, spec, awakeUntil, expected) => {
  expect(wantedPower(serviceWith(spec, awakeUntil), Date.parse(at))).toBe(expected);
});

describe('the next change of the wanted power', () => {
  test.each([
    [
      'in the hours is five minutes after their end',
      '2026-11-27T19:00:00Z',
      undefined,
      '2026-11-27T19:05:00Z',
    ],
    [
      'before the end of the hours is their end',
      '2026-11-27T12:00:00Z',
      undefined,
      '2026-11-27T19:00:00Z',
    ],
    [
      'on the weekend is the next beginning',
      '2026-11-28T12:00:00Z',
      undefined,
      '2026-11-30T06:00:00Z',
    ],
    ['in a wake is its end', '2026-11-28T12:00:00Z', wake, '2026-11-28T18:00:00Z'],
    [
      'at the end of a wake is five minutes later',
      '2026-11-28T18:00:00Z',
      wake,
      '2026-11-28T18:05:00Z',
    ],
    ['after a wake is the next beginning', '2026-11-28T18:05:00Z', wake, '2026-11-30T06:00:00Z'],
  ] as const)('%s', (_, at, awakeUntil, expected) => {
    const next = nextPowerChange(serviceWith(office, awakeUntil), Date.parse(at));
    expect(next).toBe(Date.parse(expected));
  });

  test('comes in each minute of a week no later than another wanted power', () => {
    const service = serviceWith(office, wake);
    const begin = Date.parse('2026-11-24T00:00:30Z');
    const minutes = Array.from({ length: 7 * 24 * 60 }, (_, index) => begin + index * 60_000);
    const late = minutes.filter((at) => {
      const later = wantedPower(service, at + 60_000);
      const isNew = later !== undefined && later !== wantedPower(service, at);
      return isNew && (nextPowerChange(service, at) ?? Infinity) > at + 60_000;
    });
    expect(late).toEqual([]);
  });

  test('never comes without hours, and in hours without an end', () => {
    const always = serviceWith({ runningHours: ['Mon-Sun 00:00-24:00 UTC'] });
    expect(nextPowerChange(serviceWith({}), 0)).toBeUndefined();
    expect(nextPowerChange(always, Date.parse('2026-11-28T12:00:00Z'))).toBeUndefined();
  });
});

test('the next start has day, time and zone of the hours', () => {
  const service = serviceWith({
    runningHours: ['Mon-Fri 07:00-20:00 Europe/Berlin', 'Sun 01:00-02:00 Pacific/Auckland'],
  });
  const at = Date.parse('2026-11-27T20:00:00Z');
  expect(nextStart(service, at)).toBe('Sun 01:00 Pacific/Auckland');
  expect(nextStart(serviceWith(office), at)).toBe('Mon 07:00 Europe/Berlin');
  expect(nextStart(serviceWith(office), Date.parse('2026-11-27T12:00:00Z'))).toBeUndefined();
});

const unreadable =
  'managed-db.io/awake-until is ignored: write a time such as 2026-11-28T18:00:00Z';

test.each([
  ['no time', 'soon', office, unreadable],
  ['a time in thirty days', '2026-12-28T12:00:00Z', office, 'awake until 2026-12-28 12:00 UTC'],
  ['a time that is over', '2026-11-01T12:00:00Z', office, undefined],
  ['no time, and the service has no hours', 'soon', {}, undefined],
  ['a time, and the service has no hours', '2026-12-28T12:00:00Z', {}, undefined],
] as const)('an annotation with %s has its note in the status', (_, text, spec, note) => {
  const at = Date.parse('2026-11-28T12:00:00Z');
  expect(wakeNote(serviceWith(spec, text), at)).toBe(note);
});

test.each([
  ['are windows', office, undefined, { windows: [expect.anything()], openUntil: -Infinity }],
  [
    'are windows, and open until the end of a wake',
    office,
    wake,
    { windows: [expect.anything()], openUntil: Date.parse(wake) },
  ],
  ['that are absent limit no change', {}, undefined, undefined],
] as const)('for a change, the running hours %s', (_, spec, awakeUntil, expected) => {
  expect(hoursLevel(serviceWith(spec, awakeUntil))).toEqual(expected);
});
