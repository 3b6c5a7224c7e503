import * as z from 'zod';
import type { ResourceType } from './kubernetes-object.ts';

/** A Lease of coordination.k8s.io/v1. What this version does not know stays in it: it is written back whole. */
export type Lease = z.infer<typeof leaseShape>;

const leaseShape = z.looseObject({
  metadata: z.looseObject({
    name: z.string(),
    namespace: z.string().optional(),
    uid: z.string(),
    resourceVersion: z.string(),
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

export const leases: ResourceType<Lease> = {
  group: 'coordination.k8s.io',
  version: 'v1',
  plural: 'leases',
  kind: 'Lease',
  parse: (value) => leaseShape.parse(value),
};

/** A Lease as it was seen. Its own times are those of somebody else's clock, and count for nothing. */
export interface Observation {
  readonly lease: Lease;
  /** Steady milliseconds of this process, at which what it says was new. */
  readonly at: number;
  /** It said something else before, since this process first saw it: its holder was alive then. */
  readonly hasChanged: boolean;
}

/** What is known after a look. Only another record makes it new: whoever annotates a Lease renews nothing. */
export function observed(before: Observation | undefined, lease: Lease, now: number): Observation {
  const isSame = before?.lease.metadata.uid === lease.metadata.uid && recordOf(before.lease) === recordOf(lease);
  return isSame ? { ...before, lease } : { lease, at: now, hasChanged: before !== undefined };
}

/**
 * Whether this process knows when the lease runs out as well as one that has watched for long. The first look alone does not tell: the last renewal may
 * have been nearly a whole duration before.
 */
export function knowsItsEnd(observation: Observation, now: number): boolean {
  return observation.hasChanged || now >= freeFrom(observation);
}

/** From when others may take it, in steady milliseconds: at once where nobody holds it, else as long after the last change as its holder asked for. */
export function freeFrom({ lease, at }: Observation): number {
  const { holderIdentity, leaseDurationSeconds } = lease.spec;
  return isNobody(holderIdentity) ? -Infinity : at + (leaseDurationSeconds ?? 0) * 1_000;
}

export function mayTake(observation: Observation, identity: string, now: number): boolean {
  return observation.lease.spec.holderIdentity === identity || now >= freeFrom(observation);
}

/**
 * When a process that waits looks again, in steady milliseconds. While a watch tells of every renewal there is nothing to ask before the lease runs out;
 * without one, somebody may have given it back.
 * @param retryAt when it is time to ask, all else aside
 */
export function looksAgainAt(known: Observation | undefined, isWatched: boolean, now: number, retryAt: number): number {
  const freeAt = known ? freeFrom(known) : -Infinity;
  if (freeAt <= now) return retryAt;
  return isWatched ? freeAt : Math.min(freeAt, retryAt);
}

/** Whether a watch tells what is known already: its cache may be behind a live look. */
export function isOlder(lease: Lease, { lease: known }: Observation): boolean {
  return lease.metadata.uid === known.metadata.uid && BigInt(lease.metadata.resourceVersion) <= BigInt(known.metadata.resourceVersion);
}

type Spec = Lease['spec'];

export interface Claim {
  readonly identity: string;
  readonly durationMs: number;
}

/** The record of whoever takes or renews a lease. @param before of whoever had it; undefined when there is no Lease yet. @param wall milliseconds since the epoch */
export function claimed(before: Spec | undefined, { identity, durationMs }: Claim, wall: number): Spec {
  const isRenewal = before?.holderIdentity === identity;
  const now = microTime(wall);
  return {
    ...before,
    holderIdentity: identity,
    leaseDurationSeconds: Math.round(durationMs / 1_000),
    acquireTime: isRenewal ? before.acquireTime : now,
    renewTime: now,
    leaseTransitions: before === undefined ? 0 : (before.leaseTransitions ?? 0) + (isRenewal ? 0 : 1),
  };
}

/** The record that gives a lease back: held by nobody, and not for long, for those who go by the duration alone. */
export function released(before: Spec, wall: number): Spec {
  const now = microTime(wall);
  return { ...before, holderIdentity: '', leaseDurationSeconds: 1, acquireTime: now, renewTime: now };
}

/** A moment by both clocks: the steady one may stand still while a virtual machine does, the wall clock may be set. */
export interface Moment {
  readonly steady: number;
  readonly wall: number;
}

export function rightNow(): Moment {
  return { steady: performance.now(), wall: Date.now() };
}

/**
 * Whether a lease is provably held: by neither clock has so much time passed since the last renewal was asked for that others may have it.
 * @param asked when the last request that renewed it began; its effect came later
 */
export function isProven(asked: Moment, now: Moment, withinMs: number): boolean {
  return now.steady - asked.steady < withinMs && Math.abs(now.wall - asked.wall) < withinMs;
}

/** What says who holds it and that they are alive. */
function recordOf({ spec }: Lease): string {
  const { holderIdentity, leaseDurationSeconds, acquireTime, renewTime, leaseTransitions } = spec;
  return JSON.stringify([holderIdentity, leaseDurationSeconds, acquireTime, renewTime, leaseTransitions]);
}

export function isNobody(holder: string | null | undefined): boolean {
  return holder === undefined || holder === null || holder === '';
}

/** `2026-11-21T09:00:00.123000Z`: the API server takes nothing shorter. */
function microTime(wall: number): string {
  return new Date(wall).toISOString().replace('Z', '000Z');
}
