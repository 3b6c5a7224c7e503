import * as z from 'zod';
import { pause, systemClock } from './clock.ts';
import type { KubernetesClient } from './kubernetes-client.ts';
import { resourceKey, type ResourceType } from './kubernetes-object.ts';

/**
 * A Lease of Kubernetes. It keeps unknown fields, since the election writes the whole object back.
 */
export type Lease = z.infer<typeof leaseShape>;

const leaseShape = z.looseObject({
  metadata: z.looseObject({
    name: z.string(),
    namespace: z.string().optional(),
    uid: z.string(),
    resourceVersion: z.string(),
    labels: z.record(z.string(), z.string()).optional(),
    annotations: z.record(z.string(), z.string()).optional(),
  }),
  spec: z
    .looseObject({
      holderIdentity: z.string().nullish(),
      leaseDurationSeconds: z.number().nullish(),
      acquireTime: z.string().nullish(),
      renewTime: z.string().nullish(),
      leaseTransitions: z.number().nullish(),
    })
    .default({}),
});

/** The type of a Lease, for the client. */
export const leases: ResourceType<Lease> = {
  group: 'coordination.k8s.io',
  version: 'v1',
  plural: 'leases',
  kind: 'Lease',
  parse: (value) => leaseShape.parse(value),
};

/** A Lease as this process saw it. Its times are from another clock, and are ignored. */
export interface Observation {
  readonly lease: Lease;
  /** Steady milliseconds when this process first saw the present record. */
  readonly at: number;
}

/**
 * Returns the observation after a request. Only a changed record makes it new: an annotation is no
 * renewal.
 */
export function observed(before: Observation | undefined, lease: Lease, now: number): Observation {
  const isSame =
    before?.lease.metadata.uid === lease.metadata.uid && recordOf(before.lease) === recordOf(lease);
  return { lease, at: isSame ? before.at : now };
}

/**
 * Returns when another process may take the lease, in steady milliseconds: at once without a
 * holder, otherwise the lease duration of the holder after the last change.
 */
export function freeFrom({ lease, at }: Observation): number {
  const { holderIdentity, leaseDurationSeconds } = lease.spec;
  return holderIdentity ? at + (leaseDurationSeconds ?? 0) * 1_000 : -Infinity;
}

/** Labels and annotations that the holder writes on the Lease. */
export interface LeaseMarks {
  readonly labels: Readonly<Record<string, string>>;
  /** Unique to this process where successive processes have the same identity. */
  readonly annotations: Readonly<Record<string, string>>;
}

/** A process that wants the lease. */
export interface Candidate {
  readonly identity: string;
  readonly marks?: LeaseMarks | undefined;
}

function isHeldBy({ identity, marks }: Candidate, { metadata, spec }: Lease): boolean {
  const texts = metadata.annotations ?? {};
  return (
    spec.holderIdentity === identity &&
    Object.entries(marks?.annotations ?? {}).every(([name, text]) => texts[name] === text)
  );
}

/**
 * Whether a candidate may write the lease: it holds the lease, or the lease is free.
 * @param now steady milliseconds
 */
export function mayTake(observation: Observation, candidate: Candidate, now: number): boolean {
  return isHeldBy(candidate, observation.lease) || now >= freeFrom(observation);
}

type Spec = Lease['spec'];

/** A candidate with the duration of its lease. */
export interface Claim extends Candidate {
  readonly durationMs: number;
}

/**
 * Returns the record of a lease that the candidate takes or renews.
 * @param before the present record; undefined without a Lease
 * @param wall milliseconds since the epoch
 */
export function claimed(
  before: Spec | undefined,
  { identity, durationMs }: Claim,
  wall: number,
): Spec {
  const isRenewal = before?.holderIdentity === identity;
  const now = microTime(wall);
  return {
    ...before,
    holderIdentity: identity,
    leaseDurationSeconds: Math.round(durationMs / 1_000),
    acquireTime: isRenewal ? before.acquireTime : now,
    renewTime: now,
    leaseTransitions:
      before === undefined ? 0 : (before.leaseTransitions ?? 0) + (isRenewal ? 0 : 1),
  };
}

/**
 * Returns the record of a lease without a holder. The short duration is for clients that look only
 * at the duration.
 * @param wall milliseconds since the epoch
 */
export function released(before: Spec, wall: number): Spec {
  const now = microTime(wall);
  return {
    ...before,
    holderIdentity: '',
    leaseDurationSeconds: 1,
    acquireTime: now,
    renewTime: now,
  };
}

/** A moment by both clocks. The steady clock may stop while a virtual machine is paused, and the wall clock may be set. */
interface Moment {
  readonly steady: number;
  readonly wall: number;
}

function rightNow(): Moment {
  return { steady: performance.now(), wall: Date.now() };
}

/**
 * Whether a lease is provably held: by both clocks, the last renewal is too recent for another process to take it.
 * @param asked the begin of the last successful renewal; its effect came later
 */
export function isProven(asked: Moment, now: Moment, withinMs: number): boolean {
  return now.steady - asked.steady < withinMs && Math.abs(now.wall - asked.wall) < withinMs;
}

function recordOf({ spec }: Lease): string {
  const { holderIdentity, leaseDurationSeconds, acquireTime, renewTime, leaseTransitions } = spec;
  return JSON.stringify([
    holderIdentity,
    leaseDurationSeconds,
    acquireTime,
    renewTime,
    leaseTransitions,
  ]);
}

/** Such as `2026-11-21T09:00:00.123000Z`: the API server requires microseconds. */
function microTime(wall: number): string {
  return new Date(wall).toISOString().replace('Z', '000Z');
}

/** The requests of an election about its Lease. */
export interface LeaseRequests {
  /** Undefined without a Lease. */
  get(): Promise<Lease | undefined>;
  /**
   * Writes the lease for this process.
   * @param current the Lease as it was read; undefined to create it
   * @returns `asked`: the tenure counts from the begin of the request, since other processes may
   *   have seen the renewal
   * @throws {KubernetesError} `conflict`, `alreadyExists` or `notFound` when the lease has changed
   */
  claim(current: Lease | undefined): Promise<{ readonly lease: Lease; readonly asked: Moment }>;
  /** Releases the lease if this process still holds it, even if another client annotated it meanwhile. */
  giveBack(): Promise<void>;
}

interface LeaseRequestsOptions extends Claim {
  readonly client: KubernetesClient;
  readonly namespace: string;
  readonly name: string;
  readonly timeoutMs: number;
}

/** Makes the requests about a Lease. Each request ends after `timeoutMs` of real time. */
export function leaseRequests({
  client,
  namespace,
  name,
  timeoutMs,
  ...claim
}: LeaseRequestsOptions): LeaseRequests {
  const key = resourceKey(namespace, name);
  const get = () => client.get(leases, key, { timeoutMs });
  return {
    get,
    async claim(current) {
      const asked = rightNow();
      const spec = claimed(current?.spec, claim, asked.wall);
      const metadata = marked(current?.metadata ?? { name, namespace }, claim);
      const body = {
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        ...current,
        metadata,
        spec,
      };
      const lease = await (current
        ? client.replace(leases, key, body, { timeoutMs })
        : client.create(leases, namespace, body, { timeoutMs }));
      return { lease, asked };
    },
    async giveBack() {
      const lease = await get();
      if (!lease || !isHeldBy(claim, lease)) return;
      await client.replace(
        leases,
        key,
        { ...lease, spec: released(lease.spec, Date.now()) },
        { timeoutMs },
      );
    },
  };
}

function marked(metadata: Partial<Lease['metadata']>, { marks }: Claim): object {
  if (!marks) return metadata;
  const { labels, annotations } = marks;
  return {
    ...metadata,
    labels: { ...metadata.labels, ...labels },
    annotations: { ...metadata.annotations, ...annotations },
  };
}

/** The time in which this process leads. It begins once. */
export class Tenure {
  /** Resolves with the reason when the lease is lost, but not when it was released. */
  readonly lost: Promise<string>;
  readonly #notifyLoss: (why: string) => void;
  readonly #renewDeadlineMs: number;
  readonly #over = new AbortController();
  #phase: 'waiting' | 'leading' | 'released' | 'lost' = 'waiting';
  #renewal: Moment | undefined;
  #watchdog: Disposable | undefined;

  constructor(renewDeadlineMs: number) {
    this.#renewDeadlineMs = renewDeadlineMs;
    const { promise, resolve } = Promise.withResolvers<string>();
    this.lost = promise;
    this.#notifyLoss = resolve;
  }

  get isLeading(): boolean {
    return this.#phase === 'leading';
  }

  /** Whether this process led, and has not released the lease. */
  get hasBegun(): boolean {
    return this.#phase === 'leading' || this.#phase === 'lost';
  }

  /** Whether the last renewal began within this time, by both clocks. */
  isProvenWithin(ms: number): boolean {
    return this.#renewal !== undefined && isProven(this.#renewal, rightNow(), ms);
  }

  /**
   * Whether this process may write the lease: the leader, within the renew deadline. Later, other processes may take
   * the lease, and a late renewal would make them wait anew.
   */
  get mayClaim(): boolean {
    return this.#phase === 'leading'
      ? this.isProvenWithin(this.#renewDeadlineMs)
      : this.#phase !== 'lost';
  }

  /** Begins the tenure: this process holds the lease. */
  begin(): void {
    this.#phase = 'leading';
  }

  /**
   * Records a renewal.
   * @param asked when the renewing request began
   */
  renewed(asked: Moment): void {
    this.#renewal = asked;
    this.unwatch();
    this.#watchdog = systemClock.schedule(
      this.#renewDeadlineMs - (performance.now() - asked.steady),
      () => this.#runOut(),
    );
  }

  /** Ends the tenure of a leader, and resolves `lost`. */
  lose(why: string): void {
    if (this.#phase !== 'leading') return;
    this.#phase = 'lost';
    this.#over.abort(new Error('the lease is lost'));
    this.#notifyLoss(why);
  }

  /** Ends the tenure before the lease is released. `lost` does not resolve. */
  giveUp(): void {
    this.#phase = 'released';
    this.#over.abort(new Error('the lease is given back'));
  }

  /** Stops the timer that ends the tenure when no renewal succeeds. */
  unwatch(): void {
    this.#watchdog?.[Symbol.dispose]();
  }

  /**
   * Waits, then returns whether the tenure lasts. A tenure without a recent renewal is lost then.
   */
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
