const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const week = 7 * day;
const dayNames = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];
/** 1970-01-01 was a Thursday: three days after the Monday that starts its week. */
const mondayToEpoch = 3 * day;
/** No zone of today sets its clock back by more than two hours (Antarctica/Troll). */
const longestSetBack = 3 * hour;
/** A clock that jumps forward takes a weekly window away in a single week. */
const horizon = 3 * week;

const anyDay = `(${dayNames.join('|')})`;
const time = String.raw`([01][0-9]|2[0-3]):([0-5][0-9])`;
const zonePattern = '[A-Za-z][A-Za-z0-9_+/-]*';
/** The grammar of a window, as the schema shows it to the API server. */
export const weeklyWindowPattern = `^${anyDay}(-${anyDay})? ${time}-(${time}|24:00) (${zonePattern})$`;
const grammar = new RegExp(weeklyWindowPattern, 'u');

/**
 * Hours of some days of each week in a time zone: `Sat 02:00-05:00 Europe/Berlin`.
 * The text is the text that the user wrote. Only this module reads the other fields.
 */
export type WeeklyWindow = {
  readonly text: string;
  readonly zone: string;
  /** Starts in milliseconds after Monday 00:00 of the zone's wall clock. */
  readonly starts: readonly number[];
  readonly length: number;
};

const remedy = 'write days, hours and a time zone, such as "Sat 02:00-05:00 Europe/Berlin"';
const zoneRemedy = 'write a time zone of the IANA list, such as Europe/Berlin or UTC';
/** No window is longer. */
export const longestWindow = 80;

/** Reads a window. A problem names the text, the faulty part and the way to mend it. */
export function parseWeeklyWindow(text: string): WeeklyWindow | { problem: string } {
  const match = text.length > longestWindow ? null : grammar.exec(text);
  if (match === null) {
    return { problem: `${quoted(text)} is no weekly window; ${remedy}` };
  }
  const [, first = '', , last = first, fromHour, fromMinute, end, toHour, toMinute, zone = ''] =
    match;
  if (zone === 'Local' || clockOf(zone) === undefined) {
    return { problem: `${quoted(text)} has an unknown time zone; ${zoneRemedy}` };
  }
  const start = Number(fromHour) * hour + Number(fromMinute) * minute;
  const stop = end === '24:00' ? day : Number(toHour) * hour + Number(toMinute) * minute;
  const firstDay = dayNames.indexOf(first);
  const days = modulo(dayNames.indexOf(last) - firstDay, 7) + 1;
  return {
    text,
    zone,
    starts: Array.from({ length: days }, (_, index) => ((firstDay + index) % 7) * day + start),
    length: stop > start ? stop - start : stop - start + day,
  };
}

/**
 * Whether the wall clock of the window's zone shows a time in the window.
 * A clock that is set back does not close an open window: it closes when the clock reaches its end.
 */
export function isOpen(window: WeeklyWindow, at: number): boolean {
  if (contains(window, at + offset(window.zone, at))) return true;
  const before = at - longestSetBack;
  const earlierOffset = offset(window.zone, before);
  if (earlierOffset <= offset(window.zone, at)) return false;
  const latestShown = clockChange(window.zone, before, at) - 1 + earlierOffset;
  return latestShown > at + offset(window.zone, at) && contains(window, latestShown);
}

/**
 * The first instant after `at` at which the window opens or closes.
 * The answer is Infinity for a window that is always open.
 */
export function nextChange(window: WeeklyWindow, at: number): number {
  const open = isOpen(window, at);
  for (let instant = at; instant < at + horizon;) {
    const edge = instant + untilEdge(window, instant + offset(window.zone, instant));
    const changed = offset(window.zone, edge) !== offset(window.zone, instant);
    instant = changed ? clockChange(window.zone, instant, edge) : edge;
    if (isOpen(window, instant) !== open) return instant;
  }
  return Number.POSITIVE_INFINITY;
}

/** An instant as the wall clock of the window's zone shows it, such as `Mon 07:00 Europe/Berlin`. */
export function wallText({ zone }: WeeklyWindow, at: number): string {
  const wall = new Date(at + offset(zone, at));
  const dayName = dayNames[(wall.getUTCDay() + 6) % 7] ?? '';
  return `${dayName} ${wall.toISOString().slice(11, 16)} ${zone}`;
}

/** An instant as text for people, such as `2026-11-28 01:00 UTC`. */
export function utcText(at: number): string {
  return `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

/** A message must stay short and printable. */
function quoted(text: string): string {
  const start = text.length <= 50 ? text : `${text.slice(0, 50)}…`;
  return `"${start.replaceAll(/[^ -~…]/gu, '?')}"`;
}

function contains({ starts, length }: WeeklyWindow, wall: number): boolean {
  return starts.some((start) => modulo(wall + mondayToEpoch - start, week) < length);
}

function untilEdge({ starts, length }: WeeklyWindow, wall: number): number {
  const edges = starts.flatMap((start) => [start, start + length]);
  return Math.min(...edges.map((edge) => modulo(edge - wall - mondayToEpoch - 1, week) + 1));
}

/** The first instant after `from`, up to `to`, with the offset that the zone has at `to`. */
function clockChange(zone: string, from: number, to: number): number {
  const after = offset(zone, to);
  let [low, high] = [from, to];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offset(zone, middle) === after) high = middle;
    else low = middle;
  }
  return high;
}

/** No zone changes its clock twice within so long. */
const steady = 6 * hour;
const mostOffsets = 1_000;
/** By zone and stretch. Undefined if the clock changes in the stretch. */
const offsets = new Map<string, number | undefined>();

/** The zone's wall clock minus UTC, in milliseconds. A search for an opening asks thousands of times. */
function offset(zone: string, at: number): number {
  const stretch = Math.floor(at / steady);
  const key = `${zone} ${stretch}`;
  if (!offsets.has(key)) {
    const [first, last] = [stretch, stretch + 1].map((each) => offsetAt(zone, each * steady));
    if (offsets.size >= mostOffsets) offsets.clear();
    offsets.set(key, first === last ? first : undefined);
  }
  return offsets.get(key) ?? offsetAt(zone, at);
}

function offsetAt(zone: string, at: number): number {
  const part: Record<string, number> = {};
  for (const { type, value } of clockOf(zone)?.formatToParts(at) ?? []) part[type] = Number(value);
  const { year = 0, month = 0, day: date = 0, hour: hours = 0, minute: minutes, second } = part;
  return Date.UTC(year, month - 1, date, hours, minutes, second) - Math.floor(at / 1000) * 1000;
}

const clocks = new Map<string, Intl.DateTimeFormat>();

/** Each zone has its formatter, which costs more than its use. An unknown zone has no formatter. */
function clockOf(zone: string): Intl.DateTimeFormat | undefined {
  const known = clocks.get(zone);
  if (known !== undefined) return known;
  try {
    const clock = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      calendar: 'iso8601',
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
    clocks.set(zone, clock);
    return clock;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function modulo(value: number, base: number): number {
  return ((value % base) + base) % base;
}
