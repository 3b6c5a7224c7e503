import { afterEach, beforeEach, inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** Number of the mutant that is alive; -1 for none. */
    mutant: number;
  }
  interface TaskMeta {
    /** Numbers of the mutants that the tests of a file have come to. */
    reached?: readonly number[];
  }
}

/** A test that reaches mutants more often is in an endless loop; the time limit of the test cannot end that loop. */
const mostVisits = 10_000_000;
const mutant = inject('mutant');
const reached = new Set<number>();
let visits = 0;

function isAlive(number: number): boolean {
  reached.add(number);
  visits += 1;
  if (visits > mostVisits) throw new Error('the mutant has made a loop endless');
  return number === mutant;
}

// The woven program asks these functions.
Object.assign(globalThis, {
  condition: (number: number, answer: unknown): unknown => (isAlive(number) ? !answer : answer),
  matching: (number: number, value: unknown): unknown =>
    isAlive(number) ? Symbol('nothing matches') : value,
  isCalled: (number: number): boolean => !isAlive(number),
});

beforeEach(() => {
  visits = 0;
});

afterEach(({ task }) => {
  task.file.meta.reached = [...reached];
});
