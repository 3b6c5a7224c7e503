import { expect, test, vi } from 'vitest';
import { loggedOutage, reportRequest } from '../../../src/runtime/outage.ts';

type Happening = 'fails' | 'answers' | number;

/** The log lines for these happenings; a number lets that many milliseconds pass. */
function toldOf(...happenings: readonly Happening[]): readonly string[] {
  const told: string[] = [];
  let at = 0;
  const log = {
    warn: (fields: object, message: string) =>
      void told.push(`${message}: ${JSON.stringify(fields)}`),
    info: (_: object, message: string) => void told.push(message),
  };
  using now = vi.spyOn(performance, 'now');
  now.mockImplementation(() => at);
  const server = loggedOutage('the cloud', 'wait', log);
  for (const happening of happenings) {
    if (happening === 'fails') server.failed(`refused at ${at}`);
    else if (happening === 'answers') server.answered();
    else at += happening;
  }
  return told;
}

const away = (at: number) => `the cloud does not answer: wait: {"error":"refused at ${at}"}`;

test.each<[string, readonly Happening[], readonly string[]]>([
  ['a single failure is not an outage', ['fails', 10_000, 'answers'], []],
  [
    'many failures within two seconds are not an outage',
    ['fails', 'fails', 'fails', 1_999, 'fails', 'answers'],
    [],
  ],
  [
    'an outage of two seconds is logged with its last failure',
    ['fails', 2_000, 'fails'],
    [away(2_000)],
  ],
  ['an outage is logged once', ['fails', 2_000, 'fails', 30_000, 'fails', 'fails'], [away(2_000)]],
  [
    'the end of an outage is logged with its duration',
    ['fails', 25_000, 'fails', 500, 'answers', 'answers'],
    [away(25_000), 'the cloud answers again, after 26 s'],
  ],
  [
    'an answer between two failures restarts the count of the two seconds',
    ['fails', 1_500, 'answers', 1_500, 'fails', 1_000, 'fails'],
    [],
  ],
  [
    'a second outage is logged again',
    ['fails', 2_000, 'fails', 'answers', 'fails', 2_000, 'fails'],
    [away(2_000), 'the cloud answers again, after 2 s', away(4_000)],
  ],
])('the log of outages: %s', (_, happenings, expected) => {
  expect(toldOf(...happenings)).toEqual(expected);
});

const failure = (code: string) => Object.assign(new Error('it failed'), { code });
const timeout = Object.assign(new Error('too late'), { name: 'TimeoutError' });

test.each<
  [
    sentence: string,
    status: number | undefined,
    error: Error | undefined,
    expected: readonly string[],
  ]
>([
  ['a reply counts as an answer', 200, undefined, ['answered']],
  ['a refusal counts as an answer', 404, undefined, ['answered']],
  ['an error of the server itself counts as an answer', 500, undefined, ['answered']],
  [
    'the reply of a proxy whose server is away counts as a failure',
    503,
    undefined,
    ['Error: HTTP 503'],
  ],
  [
    'a broken connection counts as a failure',
    undefined,
    failure('ECONNREFUSED'),
    ['Error: it failed'],
  ],
  [
    'a reply that breaks off counts as a failure',
    200,
    failure('UND_ERR_SOCKET'),
    ['Error: it failed'],
  ],
  ['an expired deadline counts as a failure', undefined, timeout, ['TimeoutError: too late']],
  [
    'a request that its caller cancelled shows nothing',
    undefined,
    new Error('no longer needed'),
    [],
  ],
  [
    'a request on a connection that this process closed shows nothing',
    undefined,
    failure('UND_ERR_DESTROYED'),
    [],
  ],
])('%s', (_, status, error, expected) => {
  const told: string[] = [];
  const outage = {
    failed: (why: unknown) => void told.push(String(why)),
    answered: () => void told.push('answered'),
  };
  reportRequest(outage, {
    method: 'GET',
    host: 'api',
    status,
    durationMs: 1,
    isWatch: false,
    error,
  });
  expect(told).toEqual(expected);
});
