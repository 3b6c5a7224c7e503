import { pause, systemClock } from './clock.ts';
import { isProven, rightNow, type Moment } from './lease.ts';

/** The time in which this process leads. It begins once, and lasts while renewals of the lease prove it. */
export class Tenure {
  /** Resolves with the reason when the lease is lost, but not when it was released. */
  readonly lost: Promise<string>;
  readonly #notifyLoss: (why: string) => void;
  readonly #renewDeadlineMs: number;
  readonly #over = new AbortController();
  #phase: 'waiting' | 'leading' | 'released' | 'lost' = 'waiting';
  #renewal: Moment | undefined;
  #watchdog: Disposable | undefined;

  /** @param renewDeadlineMs time without a renewal until the lease counts as lost */
  constructor(renewDeadlineMs: number) {
    this.#renewDeadlineMs = renewDeadlineMs;
    const { promise, resolve } = Promise.withResolvers<string>();
    this.lost = promise;
    this.#notifyLoss = resolve;
  }

  get isLeading(): boolean {
    return this.#phase === 'leading';
  }

  /** This process leads, or has led and lost the lease. */
  get hasBegun(): boolean {
    return this.#phase === 'leading' || this.#phase === 'lost';
  }

  isProvenWithin(ms: number): boolean {
    return this.#renewal !== undefined && isProven(this.#renewal, rightNow(), ms);
  }

  /**
   * Whether this process may write the lease: the leader, within the renew deadline. Later, other processes may take
   * the lease, and a late renewal would make them wait anew.
   */
  get mayClaim(): boolean {
    return this.#phase === 'leading' ? this.isProvenWithin(this.#renewDeadlineMs) : this.#phase !== 'lost';
  }

  begin(): void {
    this.#phase = 'leading';
  }

  /** @param asked when the renewing request began */
  renewed(asked: Moment): void {
    this.#renewal = asked;
    this.unwatch();
    this.#watchdog = systemClock.schedule(this.#renewDeadlineMs - (performance.now() - asked.steady), () => this.#runOut());
  }

  lose(why: string): void {
    if (this.#phase !== 'leading') return;
    this.#phase = 'lost';
    this.#over.abort(new Error('the lease is lost'));
    this.#notifyLoss(why);
  }

  giveUp(): void {
    this.#phase = 'released';
    this.#over.abort(new Error('the lease is given back'));
  }

  unwatch(): void {
    this.#watchdog?.[Symbol.dispose]();
  }

  /** Waits. @returns whether the tenure still lasts afterwards */
  async lasts(ms: number): Promise<boolean> {
    await pause(ms, this.#over.signal);
    // A process that was frozen may wake up here before the timer of the deadline fires.
    if (!this.mayClaim) this.#runOut();
    return !this.#over.signal.aborted;
  }

  #runOut(): void {
    this.lose(`it could not be renewed for ${this.#renewDeadlineMs / 1_000} s`);
  }
}
