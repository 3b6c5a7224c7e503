import type { Clock } from './clock.ts';
import type { ResourceKey } from './kubernetes-object.ts';
import type { Priority } from './work-queue.ts';

interface Plan {
  readonly priority: Priority;
  readonly resync: boolean;
}

/** Keys with a delay, each at most once. A later time never replaces an earlier one. */
export class DelayedKeys {
  readonly #plans = new Map<ResourceKey, Plan & { readonly at: number; readonly timer: Disposable }>();
  readonly #clock: Clock;
  readonly #due: (key: ResourceKey, priority: Priority) => void;

  constructor(clock: Clock, due: (key: ResourceKey, priority: Priority) => void) {
    this.#clock = clock;
    this.#due = due;
  }

  /** Whether all planned keys are resyncs, for which nobody waits. */
  get areResyncs(): boolean {
    return [...this.#plans.values()].every(({ resync }) => resync);
  }

  plan(key: ResourceKey, delayMs: number, { priority, resync }: Plan): void {
    const at = this.#clock.now() + delayMs;
    const known = this.#plans.get(key);
    // One visit answers both plans, so it gets the more urgent of the two priorities.
    const both: Plan = { priority: known?.priority === 'edit' ? 'edit' : priority, resync: resync && (known?.resync ?? true) };
    if (known && known.at <= at) {
      this.#plans.set(key, { ...known, ...both });
      return;
    }
    known?.timer[Symbol.dispose]();
    const timer = this.#clock.schedule(delayMs, () => {
      const due = this.#plans.get(key)?.priority ?? priority;
      this.#plans.delete(key);
      this.#due(key, due);
    });
    this.#plans.set(key, { at, ...both, timer });
  }

  drop(key: ResourceKey): void {
    this.#plans.get(key)?.timer[Symbol.dispose]();
    this.#plans.delete(key);
  }

  clear(): void {
    for (const { timer } of this.#plans.values()) timer[Symbol.dispose]();
    this.#plans.clear();
  }
}
