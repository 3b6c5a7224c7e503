/** How much of the attack runs, by the arguments of `npm run test:attack`; `npm test` runs a part. */
export const scale = {
  /** All cells of the tables. */
  isWhole: process.env['ATTACK_WHOLE'] === '1',
  /** The seed of the first random life; undefined: chosen by chance. */
  seed: numberIn('ATTACK_SEED'),
  /** How many random lives; undefined: as many as fit. */
  lives: numberIn('ATTACK_LIVES'),
  /** How many random sequences of the differential test; undefined: as many as fit. */
  sequences: numberIn('ATTACK_SEQUENCES'),
  /** Which steps of each life are taken, counted from 0; undefined: all. To find out which of them it takes. */
  steps: process.env['ATTACK_STEPS']?.split(',').map(Number),
  /** The size of the load stories, in percent; undefined: they do not run. */
  load: numberIn('ATTACK_LOAD'),
} as const;

function numberIn(name: string): number | undefined {
  const text = process.env[name];
  if (text === undefined || text === '') return undefined;
  if (!/^\d+$/u.test(text)) throw new Error(`${name} is a whole number, not ${text}`);
  return Number(text);
}
