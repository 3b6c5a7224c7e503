import { expect, test } from 'vitest';
import { outage } from '../../../src/runtime/outage.ts';

type Happening = 'fails' | 'answers' | number;

/** What is told of what happens; a number lets so many milliseconds pass. */
function toldOf(...happenings: readonly Happening[]): readonly string[] {
  const told: string[] = [];
  let at = 0;
  const server = outage({
    patienceMs: 2_000,
    now: () => at,
    onBegin: (error) => told.push(`away: ${String(error)}`),
    onEnd: (lastedMs) => told.push(`back after ${lastedMs}`),
  });
  for (const happening of happenings) {
    if (happening === 'fails') server.failed(`refused at ${at}`);
    else if (happening === 'answers') server.answered();
    else at += happening;
  }
  return told;
}

test.each<[string, readonly Happening[], readonly string[]]>([
  ['one failure is none', ['fails', 10_000, 'answers'], []],
  ['many at once are none', ['fails', 'fails', 'fails', 1_999, 'fails', 'answers'], []],
  ['one that lasts is told with its last failure', ['fails', 2_000, 'fails'], ['away: refused at 2000']],
  ['it is told once', ['fails', 2_000, 'fails', 30_000, 'fails', 'fails'], ['away: refused at 2000']],
  [
    'its end is told with how long it was',
    ['fails', 25_000, 'fails', 500, 'answers', 'answers'],
    ['away: refused at 25000', 'back after 25500'],
  ],
  ['what is answered in between begins again', ['fails', 1_500, 'answers', 1_500, 'fails', 1_000, 'fails'], []],
  [
    'the next one is told, too',
    ['fails', 2_000, 'fails', 'answers', 'fails', 2_000, 'fails'],
    ['away: refused at 2000', 'back after 2000', 'away: refused at 4000'],
  ],
])('of an outage: %s', (_, happenings, expected) => {
  expect(toldOf(...happenings)).toEqual(expected);
});
