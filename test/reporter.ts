import type { Reporter, TestModule } from 'vitest/node';

/**
 * Makes `N passed, N failed` the last line of a run. What failed outside a test counts as one failure each: a file that does not load,
 * a hook, an unhandled error, a run that broke off or never began.
 */
export default class CountReporter implements Reporter {
  #passed = 0;
  #failed = 1;
  #skipped = 0;

  onInit(): void {
    process.once('exit', () => {
      if (this.#skipped > 0) console.log(`${this.#skipped} skipped`);
      console.log(`${this.#passed} passed, ${this.#failed} failed`);
    });
  }

  onTestRunEnd(
    modules: readonly TestModule[],
    unhandled: readonly unknown[],
    reason: 'passed' | 'interrupted' | 'failed',
  ): void {
    const states = modules
      .flatMap((module) => [...module.children.allTests()])
      .map((test) => test.result().state);
    const outsideTests = modules
      .flatMap((module) => [module, ...module.children.allSuites()])
      .flatMap((part) => part.errors());
    this.#passed = states.filter((state) => state === 'passed').length;
    this.#skipped = states.filter((state) => state === 'skipped').length;
    this.#failed =
      states.filter((state) => state === 'failed').length + outsideTests.length + unhandled.length;
    if (reason !== 'passed' && this.#failed === 0) this.#failed = 1;
  }
}
