import { systemClock } from './clock.ts';
import { isProven, rightNow, type Moment } from './lease.ts';

/** The time in which one process leads: it begins once, and goes on as long as it is proven by renewals. */
export class Tenure {
  /** Resolves, with the reason, when it ends without having been given up. */
  readonly lost: Promise<string>;
  readonly #tellLoss: (why: string) => void;
  readonly #renewDeadlineMs: number;
  readonly #over = new AbortController();
  #phase: 'waiting' | 'leading' | 'released' | 'lost' = 'waiting';
  #renewal: Moment | undefined;
  #watchdog: Disposable | undefined;

  /** @param renewDeadlineMs after so long without a renewal it is lost */
  constructor(renewDeadlineMs: number) {
    this.#renewDeadlineMs = renewDeadlineMs;
    const { promise, resolve } = Promise.withResolvers<string>();
    this.lost = promise;
    this.#tellLoss = resolve;
  }

  get isLeading(): boolean {
    return this.#phase === 'leading';
  }

  /** It leads, or has lost the lead. */
  get hasBegun(): boolean {
    return this.#phase === 'leading' || this.#phase === 'lost';
  }

  isProvenWithin(ms: number): boolean {
    return this.#renewal !== undefined && isProven(this.#renewal, rightNow(), ms);
  }

  /** Whether the lease may be written. Whoever leads may do so only while it is proven: once it has run out it is the others' turn, and a renewal would begin their wait anew. */
  get mayClaim(): boolean {
    return this.#phase === 'leading' ? this.isProvenWithin(this.#renewDeadlineMs) : this.#phase !== 'lost';
  }

  begin(): void {
    this.#phase = 'leading';
  }

  /** @param asked when the request that renewed it was begun */
  renewed(asked: Moment): void {
    this.#renewal = asked;
    this.unwatch();
    this.#watchdog = systemClock.schedule(this.#renewDeadlineMs - (performance.now() - asked.steady), () => this.#runOut());
  }

  lose(why: string): void {
    if (this.#phase !== 'leading') return;
    this.#phase = 'lost';
    this.#over.abort(new Error('the lease is lost'));
    this.#tellLoss(why);
  }

  giveUp(): void {
    this.#phase = 'released';
    this.#over.abort(new Error('the lease is given back'));
  }

  /** Nobody watches over it any more. */
  unwatch(): void {
    this.#watchdog?.[Symbol.dispose]();
  }

  /** Waits. @returns whether it still goes on then */
  async lasts(ms: number): Promise<boolean> {
    await systemClock.sleep(ms, this.#over.signal).catch(() => undefined); // aborted: it is over
    // A process that was frozen may wake here before the watchdog does.
    if (!this.mayClaim) this.#runOut();
    return !this.#over.signal.aborted;
  }

  #runOut(): void {
    this.lose(`it could not be renewed for ${this.#renewDeadlineMs / 1_000} s`);
  }
}
