import TinyQueue from 'tinyqueue';
import type { Clock } from './clock.ts';
import type { ResourceKey } from './kubernetes-object.ts';
import type { Priority } from './work-queue.ts';

interface Urgency {
  priority: Priority;
  resync: boolean;
}

interface Plan extends Urgency {
  readonly key: ResourceKey;
  readonly at: number;
}

/** So many outdated plans are no reason to rebuild the line. */
const toleratedOutdated = 100;

/**
 * Keys with a delay, each at most once. A later time never replaces an earlier time. A single timer serves all: a timer
 * holds the whole context that set it.
 */
export class DelayedKeys {
  readonly #plans = new Map<ResourceKey, Plan>();
  /** By time. A plan that was dropped or replaced stays here for a while. */
  #line = lineOf([]);
  #timer: { readonly at: number; readonly handle: Disposable } | undefined;
  readonly #clock: Clock;
  readonly #due: (key: ResourceKey, priority: Priority) => void;

  constructor(clock: Clock, due: (key: ResourceKey, priority: Priority) => void) {
    this.#clock = clock;
    this.#due = due;
  }

  /** Whether all planned keys are resyncs, for which no user waits. */
  get areResyncs(): boolean {
    return [...this.#plans.values()].every(({ resync }) => resync);
  }

  plan(key: ResourceKey, delayMs: number, { priority, resync }: Readonly<Urgency>): void {
    const at = this.#clock.now() + delayMs;
    const known = this.#plans.get(key);
    // A single visit serves both plans, so it gets the more urgent of the two priorities.
    const both: Urgency = { priority: known?.priority === 'edit' ? 'edit' : priority, resync: resync && (known?.resync ?? true) };
    if (known && known.at <= at) {
      Object.assign(known, both);
      return;
    }
    const plan = { key, at, ...both };
    this.#plans.set(key, plan);
    this.#line.push(plan);
    if (this.#line.length > 2 * this.#plans.size + toleratedOutdated) this.#line = lineOf([...this.#plans.values()]);
    if (!this.#timer || at < this.#timer.at) this.#setTimer(at);
  }

  drop(key: ResourceKey): void {
    this.#plans.delete(key);
  }

  clear(): void {
    this.#plans.clear();
    this.#line = lineOf([]);
    this.#timer?.handle[Symbol.dispose]();
    this.#timer = undefined;
  }

  #setTimer(at: number): void {
    this.#timer?.handle[Symbol.dispose]();
    this.#timer = { at, handle: this.#clock.schedule(at - this.#clock.now(), () => this.#fire()) };
  }

  #fire(): void {
    this.#timer = undefined;
    const now = this.#clock.now();
    const due: Plan[] = [];
    for (let next = this.#line.peek(); next; next = this.#line.peek()) {
      const isPlanned = this.#plans.get(next.key) === next;
      if (isPlanned && next.at > now) break;
      this.#line.pop();
      if (!isPlanned) continue;
      this.#plans.delete(next.key);
      due.push(next);
    }
    const next = this.#line.peek();
    if (next) this.#setTimer(next.at);
    for (const { key, priority } of due) this.#due(key, priority);
  }
}

function lineOf(plans: Plan[]): TinyQueue<Plan> {
  return new TinyQueue(plans, (one, other) => one.at - other.at);
}
