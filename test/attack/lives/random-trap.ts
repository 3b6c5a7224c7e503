import type { Harm, Trap } from './process.ts';
import type { Random } from './random.ts';

/** A harm to the operator at a coming call. */
export function randomTrap(random: Random): Trap {
  const harm = random.weighted<() => Harm>([
    [4, () => ({ kind: random.pick(['dieBefore', 'dieUnanswered', 'dieAnswered']) })],
    [
      3,
      () => ({
        kind: random.pick(['freezeBefore', 'freezeAnswered']),
        forMs: random.between(1_000, 200_000),
      }),
    ],
    [
      3,
      () => ({
        kind: 'refused',
        refusal: random.pick([
          'conflict',
          'forbidden',
          'webhook',
          'tooLarge',
          'invalid',
          'tooMany',
          'broken',
        ]),
      }),
    ],
    [3, () => ({ kind: random.pick(['notSent', 'answerLost']) })],
    [1, () => ({ kind: 'wrongDate', byMs: random.pick([-300_000, 300_000, 3_600_000]) })],
  ])();
  const isWhole = harm.kind.startsWith('die') || harm.kind.startsWith('freeze');
  const at =
    harm.kind === 'refused'
      ? 'kubernetes'
      : random.pick(['cloud', 'kubernetes', 'create', 'any'] as const);
  return {
    at,
    nth: random.between(1, at === 'create' ? 2 : 6),
    times: isWhole ? 1 : random.between(1, 3),
    harm,
  };
}
