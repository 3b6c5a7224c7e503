import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { mutants } from '../simulation/mutants.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

test.each(mutants.map((mutant) => [mutant.id, mutant] as const))(
  'the mutant %s replaces a text that its file has exactly once',
  async (_, { file, from }) => {
    const source = await readFile(`${root}${file}`, 'utf8');
    expect(source.split(from)).toHaveLength(2);
  },
);
