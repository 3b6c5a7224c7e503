import { expect, test } from 'vitest';
import { loggedOutage } from '../../../src/runtime/outage.ts';

type Happening = 'fails' | 'answers' | number;

/** The log lines for these happenings; a number lets that many milliseconds pass. */
function toldOf(...happenings: readonly Happening[]): readonly string[] {
  const told: string[] = [];
  let at = 0;
  const log = {
    warn: (fields: object, message: string) => void told.push(`${message}: ${JSON.stringify(fields)}`),
    info: (_: object, message: string) => void told.push(message),
  };
  const server = loggedOutage('the cloud', 'wait', log, () => at);
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
  ['many failures within two seconds are not an outage', ['fails', 'fails', 'fails', 1_999, 'fails', 'answers'], []],
  ['an outage of two seconds is logged with its last failure', ['fails', 2_000, 'fails'], [away(2_000)]],
  ['an outage is logged once', ['fails', 2_000, 'fails', 30_000, 'fails', 'fails'], [away(2_000)]],
  [
    'the end of an outage is logged with its duration',
    ['fails', 25_000, 'fails', 500, 'answers', 'answers'],
    [away(25_000), 'the cloud answers again, after 26 s'],
  ],
  ['an answer between two failures restarts the count of the two seconds', ['fails', 1_500, 'answers', 1_500, 'fails', 1_000, 'fails'], []],
  [
    'a second outage is logged again',
    ['fails', 2_000, 'fails', 'answers', 'fails', 2_000, 'fails'],
    [away(2_000), 'the cloud answers again, after 2 s', away(4_000)],
  ],
])('the log of outages: %s', (_, happenings, expected) => {
  expect(toldOf(...happenings)).toEqual(expected);
});
