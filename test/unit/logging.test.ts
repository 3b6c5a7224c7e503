import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { logger, type LoggingOptions } from '../../src/logging/logging.ts';

function logging(options: Partial<LoggingOptions> = {}) {
  const lines: string[] = [];
  return {
    log: logger({
      level: 'trace',
      format: 'json',
      write: (line) => void lines.push(line),
      ...options,
    }),
    lines,
  };
}

const line = z.record(z.string(), z.unknown());

describe('for machines', () => {
  test('an entry is one line of JSON: level and time in words, what it is about, the message', () => {
    const { log, lines } = logging();
    log.info({ object: 'shop/ManagedService orders', reason: 'Creating' }, 'first\nsecond');
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/^[^\n]*\n$/u);
    const { time, ...rest } = line.parse(JSON.parse(lines[0] ?? ''));
    expect(rest).toEqual({
      level: 'info',
      object: 'shop/ManagedService orders',
      reason: 'Creating',
      msg: 'first\nsecond',
    });
    expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/u);
  });

  test('an error is its stack and those of its causes', () => {
    const { log, lines } = logging();
    const cause = new Error('no route to host');
    log.error(
      {
        error: new Error('the visit failed', {
          cause: new AggregateError([cause, 'a text'], 'both ways'),
        }),
      },
      'oh',
    );
    const { error } = line.parse(JSON.parse(lines[0] ?? ''));
    expect(error).toMatch(/^Error: the visit failed\n {4}at /u);
    expect(error).toContain('\ncaused by AggregateError: both ways\n');
    expect(error).toContain('\ncaused by Error: no route to host\n');
    expect(error).toContain('\ncaused by a text');
  });

  test('an error that is its own cause ends', () => {
    const { log, lines } = logging();
    const error = new Error('round');
    error.cause = error;
    log.error({ error }, 'oh');
    expect(lines).toHaveLength(1);
  });

  test('a log entry omits the further properties of an error', () => {
    const { log, lines } = logging();
    log.error(
      {
        error: Object.assign(new Error('refused'), {
          headers: { cookie: 's3cret' },
          cause: { body: 's3cret' },
        }),
      },
      'oh',
    );
    expect(lines[0]).toContain('refused');
    expect(lines[0]).not.toContain('s3cret');
  });
});

const levels = ['trace', 'debug', 'info', 'warn', 'error'] as const;

test.each(levels)('at level %s the quieter entries are left out', (level) => {
  const { log, lines } = logging({ level });
  for (const each of levels) log[each]({}, 'said');
  expect(lines.map((text) => line.parse(JSON.parse(text))['level'])).toEqual(
    levels.slice(levels.indexOf(level)),
  );
});

describe.each(['json', 'pretty'] as const)('as %s', (format) => {
  test.each(['apiKey', 'password', 'initial_password', 'authorization', 'token', 'uri', 'data'])(
    '%s is not shown, should something log it one day',
    (name) => {
      const { log, lines } = logging({ format });
      log.info(
        { [name]: 's3cret', call: { [name]: 's3cret', request: { [name]: 's3cret' } } },
        'called',
      );
      expect(lines.join('')).not.toContain('s3cret');
      expect(lines.join('').match(/\[not shown\]/gu)).toHaveLength(3);
      expect(lines.join('')).toContain('called');
    },
  );
});

describe('for people', () => {
  const clock = /^\d\d:\d\d:\d\d /u;

  test('an entry is time, object, reason, message, and the rest behind', () => {
    const { log, lines } = logging({ format: 'pretty' });
    log.info(
      { object: 'shop/ManagedService orders', reason: 'Creating', calls: 2, via: { kind: 'edit' } },
      'the cloud is at it',
    );
    expect(lines[0]).toMatch(clock);
    expect(lines[0]?.replace(clock, '')).toBe(
      'shop/ManagedService orders Creating: the cloud is at it calls=2 via={"kind":"edit"}\n',
    );
  });

  test('only a level other than info is named', () => {
    const { log, lines } = logging({ format: 'pretty' });
    for (const level of levels) log[level]({}, 'said');
    expect(lines.map((text) => text.replace(clock, ''))).toEqual([
      'TRACE said\n',
      'DEBUG said\n',
      'said\n',
      'WARN said\n',
      'ERROR said\n',
    ]);
  });

  test('an error stands below, indented', () => {
    const { log, lines } = logging({ format: 'pretty' });
    log.error({ error: new Error('no route', { cause: new Error('no cable') }) }, 'a visit failed');
    expect(lines[0]).toMatch(
      / ERROR a visit failed\n {2}Error: no route\n {6}at [\s\S]*\n {2}caused by Error: no cable\n/u,
    );
  });
});
