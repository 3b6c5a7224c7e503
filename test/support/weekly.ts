import { scale } from '../attack/scale.ts';

/**
 * Whether tests run that take long and whose promise another test keeps in each `npm test`; a comment at the test names that
 * other test. `npm run test:weekly` runs them.
 */
export const isWeekly = scale.isWhole;
