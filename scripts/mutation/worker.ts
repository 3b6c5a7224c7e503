import { afterEach, inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** Number of the condition that is turned round; -1 for none. */
    inverted: number;
  }
  interface TaskMeta {
    /** Numbers of the conditions that the tests of a file have asked. */
    reached?: readonly number[];
  }
}

/** What the woven program asks, in the process that runs the tests. */
const inverted = inject('inverted');
const reached = new Set<number>();

Object.assign(globalThis, {
  condition(number: number, answer: unknown): unknown {
    reached.add(number);
    return number === inverted ? !answer : answer;
  },
  matching(number: number, value: unknown): unknown {
    reached.add(number);
    return number === inverted ? Symbol('nothing matches') : value;
  },
});

afterEach(({ task }) => {
  task.file.meta.reached = [...reached];
});
