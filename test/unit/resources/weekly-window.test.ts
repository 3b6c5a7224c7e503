import {
  type Arbitrary,
  assert,
  constant,
  constantFrom,
  integer,
  oneof,
  property,
  record,
} from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  isOpen,
  nextChange,
  parseWeeklyWindow,
  type WeeklyWindow,
} from '../../../src/resources/weekly-window.ts';

function windowOf(text: string): WeeklyWindow {
  const window = parseWeeklyWindow(text);
  if ('problem' in window) throw new Error(window.problem);
  return window;
}

/** The first edges after a time, as texts. */
function edgesAfter(text: string, from: string, count: number): readonly string[] {
  const window = windowOf(text);
  const edges: string[] = [];
  for (let at = Date.parse(from); edges.length < count;) {
    const next = nextChange(window, at);
    expect(isOpen(window, next - 1)).toBe(!isOpen(window, next));
    edges.push(
      `${isOpen(window, next) ? 'opens' : 'closes'} ${new Date(next).toISOString().slice(0, 16)}`,
    );
    at = next;
  }
  return edges;
}

describe('a window opens and closes by the wall clock of its zone', () => {
  test.each([
    [
      'Berlin in summer',
      'Sat 02:00-05:00 Europe/Berlin',
      '2026-07-01T00:00Z',
      ['opens 2026-07-04T00:00', 'closes 2026-07-04T03:00'],
    ],
    [
      'an hour that the clock of Berlin skips',
      'Sun 02:00-03:00 Europe/Berlin',
      '2026-03-22T12:00Z',
      ['opens 2026-04-05T00:00', 'closes 2026-04-05T01:00'],
    ],
    [
      'an hour that the clock of Berlin shows twice',
      'Sun 02:00-03:00 Europe/Berlin',
      '2026-10-24T12:00Z',
      ['opens 2026-10-25T00:00', 'closes 2026-10-25T02:00'],
    ],
    [
      'a start that the clock of Berlin skips',
      'Sun 02:15-04:00 Europe/Berlin',
      '2026-03-28T12:00Z',
      ['opens 2026-03-29T01:00', 'closes 2026-03-29T02:00'],
    ],
    [
      'New York, where the clock goes back while the window is open',
      'Sun 01:30-02:30 America/New_York',
      '2026-10-31T12:00Z',
      ['opens 2026-11-01T05:30', 'closes 2026-11-01T07:30'],
    ],
    [
      'a half of an hour that the clock of New York shows twice',
      'Sun 01:00-01:30 America/New_York',
      '2026-10-31T12:00Z',
      [
        'opens 2026-11-01T05:00',
        'closes 2026-11-01T05:30',
        'opens 2026-11-01T06:00',
        'closes 2026-11-01T06:30',
      ],
    ],
    [
      'Lord Howe, whose clock goes back by half an hour',
      'Sun 01:30-02:00 Australia/Lord_Howe',
      '2026-04-04T00:00Z',
      ['opens 2026-04-04T14:30', 'closes 2026-04-04T15:30'],
    ],
    [
      'Auckland on the first Monday of its summer',
      'Mon-Fri 07:00-20:00 Pacific/Auckland',
      '2026-09-26T00:00Z',
      ['opens 2026-09-27T18:00', 'closes 2026-09-28T07:00'],
    ],
    [
      'days that go over the weekend, and hours that go over midnight',
      'Fri-Mon 22:00-02:00 UTC',
      '2026-11-23T12:00Z',
      [
        'opens 2026-11-23T22:00',
        'closes 2026-11-24T02:00',
        'opens 2026-11-27T22:00',
        'closes 2026-11-28T02:00',
      ],
    ],
    [
      'two whole days',
      'Sat-Sun 00:00-24:00 UTC',
      '2026-11-23T12:00Z',
      ['opens 2026-11-28T00:00', 'closes 2026-11-30T00:00'],
    ],
    [
      'an end at its start, which is on the next day',
      'Wed 06:00-06:00 UTC',
      '2026-11-23T12:00Z',
      ['opens 2026-11-25T06:00', 'closes 2026-11-26T06:00'],
    ],
  ])('%s', (_sentence, text, from, expected) => {
    expect(edgesAfter(text, from, expected.length)).toEqual(expected);
  });

  test('a window of the whole week never changes', () => {
    const always = windowOf('Mon-Sun 00:00-24:00 Europe/Berlin');
    const at = Date.parse('2026-10-25T00:30Z');
    expect(isOpen(always, at)).toBe(true);
    expect(nextChange(always, at)).toBe(Number.POSITIVE_INFINITY);
  });
});

describe('a text that is no window has a problem that says how to mend it', () => {
  test.each([
    ['0 0 31 2 *', 'days, hours and a time zone'],
    ['Sat 25:00-26:00 UTC', 'days, hours and a time zone'],
    ['Sat 24:00-02:00 UTC', 'days, hours and a time zone'],
    ['Sat 02:00-24:30 UTC', 'days, hours and a time zone'],
    ['Sat 02:00-05:00', 'days, hours and a time zone'],
    ['Saturday 02:00-05:00 UTC', 'days, hours and a time zone'],
    ['Sat 2:00-5:00 UTC', 'days, hours and a time zone'],
    [' Sat 02:00-05:00 UTC', 'days, hours and a time zone'],
    ['Sat 02:00-05:00 UTC\n', 'days, hours and a time zone'],
    ['', 'days, hours and a time zone'],
    ['Sat 02:00-05:00 +01:00', 'days, hours and a time zone'],
    [`Sat 02:00-05:00 ${'x'.repeat(3_000)}`, 'days, hours and a time zone'],
    ['Sat 02:00-05:00 Mars/Olympus', 'unknown time zone'],
    ['Sat 02:00-05:00 Local', 'unknown time zone'],
  ])('%j', (text, part) => {
    const window = parseWeeklyWindow(text);
    const problem = 'problem' in window ? window.problem : '';
    expect(problem).toContain(part);
    expect(problem).toMatch(/^[ -~…]{20,160}$/u);
  });
});

/** The wall clock of a zone, read minute by minute around each of its changes. */
const zones = [
  'Europe/Berlin',
  'America/New_York',
  'Australia/Lord_Howe',
  'Pacific/Auckland',
  'Africa/Casablanca',
  'Antarctica/Troll',
  'America/Santiago',
  'Pacific/Chatham',
];
const minute = 60_000;
const day = 86_400_000;
const [begin, end] = [Date.UTC(2026, 0), Date.UTC(2031, 0)];
const days = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];

interface Moment {
  readonly at: number;
  /** Minutes of wall time; they go back when the clock is set back. */
  readonly wall: number;
  readonly weekday: string;
  readonly time: string;
}

function momentsOf(zone: string): (at: number) => Moment {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    weekday: 'short',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
  return (at) => {
    const words = /^(\w{3})\w*, (\d\d)\/(\d\d)\/(\d{4}), (\d\d:\d\d)$/u.exec(format.format(at));
    const [, weekday = '', date = '', month = '', year = '', time = ''] = words ?? [];
    const wall = Date.parse(`${year}-${month}-${date}T${time}Z`) / minute;
    return { at, wall, weekday, time };
  };
}

const hour = 60 * minute;

/** Around each change of a clock in these years: ten hours before and after. */
const stretches = zones.flatMap((zone) => {
  const momentAt = momentsOf(zone);
  const offsetAt = (at: number) => momentAt(at).wall * minute - at;
  const changes: number[] = [];
  for (let at = begin; at < end; at += day)
    if (offsetAt(at) !== offsetAt(at + day))
      for (let each = at; each < at + day; each += hour)
        if (offsetAt(each) !== offsetAt(each + hour)) changes.push(each);
  return changes.map((at) => ({ zone, begin: at - 10 * hour, end: at + 11 * hour, momentAt }));
});

const hourText = oneof(integer({ min: 0, max: 4 * 60 }), integer({ min: 0, max: 24 * 60 - 1 })).map(
  (minutes) => new Date(minutes * minute).toISOString().slice(11, 16),
);
const anyWindow = record({
  first: constantFrom(...days),
  last: constantFrom(...days),
  start: hourText,
  stop: oneof(hourText, constant('24:00')),
});
type AnyWindow = typeof anyWindow extends Arbitrary<infer T> ? T : never;

/** The meaning of a window, as its page has it. */
function contains({ first, last, start, stop }: AnyWindow, weekday: string, time: string) {
  const begins = days.indexOf(first);
  const length = ((days.indexOf(last) - begins + 7) % 7) + 1;
  const isDay = (index: number) => (index - begins + 7) % 7 < length;
  const index = days.indexOf(weekday);
  if (stop > start) return isDay(index) && time >= start && time < stop;
  return (isDay(index) && time >= start) || (isDay((index + 6) % 7) && time < stop);
}

/** The edges that a scan by minutes finds. The latest time that the clock has shown keeps a window open. */
function scanned(
  window: AnyWindow,
  { begin: from, end: to, momentAt }: (typeof stretches)[number],
) {
  const edges: number[] = [];
  let latest = momentAt(from);
  let was = contains(window, latest.weekday, latest.time);
  for (let at = from + minute; at <= to; at += minute) {
    const now = momentAt(at);
    if (now.wall >= latest.wall) latest = now;
    const is =
      contains(window, now.weekday, now.time) || contains(window, latest.weekday, latest.time);
    if (is !== was) edges.push(at);
    was = is;
  }
  return edges;
}

test(
  'around the clock changes of five years in eight zones, a window has the edges that a scan by minutes finds',
  {
    timeout: 60_000,
  },
  () => {
    expect(stretches.length).toBeGreaterThan(70);
    assert(
      property(constantFrom(...stretches), anyWindow, (stretch, given) => {
        const { first, last, start, stop } = given;
        const window = windowOf(`${first}-${last} ${start}-${stop} ${stretch.zone}`);
        const edges: number[] = [];
        for (let at = stretch.begin; ;) {
          at = nextChange(window, at);
          if (at > stretch.end) break;
          edges.push(at);
        }
        expect(edges).toEqual(scanned(given, stretch));
      }),
      { numRuns: 100 },
    );
  },
);
