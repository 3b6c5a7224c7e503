/** Numbers that look like chance and are the same for the same seed. */
export interface Random {
  /** A whole number, both ends included. */
  between(least: number, most: number): number;
  /** Whether something of this likelihood happens, 0 to 1. */
  happens(likelihood: number): boolean;
  pick<T>(choices: readonly [T, ...T[]]): T;
  /** Each choice comes as often as its weight says. */
  weighted<T>(choices: readonly [readonly [number, T], ...(readonly [number, T])[]]): T;
}

/** mulberry32: small, and good enough to choose steps with. */
export function seeded(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d_2b_79_f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    between: (least, most) => least + Math.floor(next() * (most - least + 1)),
    happens: (likelihood) => next() < likelihood,
    pick: (choices) => choices[Math.floor(next() * choices.length)] ?? choices[0],
    weighted(choices) {
      let left = next() * choices.reduce((sum, [weight]) => sum + weight, 0);
      for (const [weight, choice] of choices) {
        left -= weight;
        if (left < 0) return choice;
      }
      return choices[0][1];
    },
  };
}
