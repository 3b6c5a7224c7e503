import { test } from 'vitest';
import { scale } from '../attack/scale.ts';

/**
 * A test that takes long, and whose promise another test keeps in each `npm test`; a comment at the test names that other
 * test. `npm run test:weekly` runs it.
 */
export const weekly = test.runIf(scale.isWhole);
