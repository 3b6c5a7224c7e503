import type { Clock, Leadership } from '../../runtime/index.ts';
import { sendWithinMs } from '../record/attempt.ts';

/**
 * Whether a request may still go to the socket: young enough by both clocks, and the lease provably held. Real time on purpose: a process that
 * was frozen wakes up with an old request in its hand, and a clock that was set may lie either way.
 */
export function sendFence(leadership: Leadership): () => boolean {
  const steady = performance.now();
  const wall = Date.now();
  return () => leadership.held && performance.now() - steady < sendWithinMs && Math.abs(Date.now() - wall) < sendWithinMs;
}

const shortMs = 5_000;

/** Whether so little time has passed, by policy time and by the wall clock, that this process cannot have been frozen while others went on. */
export function notFrozenSince(clock: Clock): () => boolean {
  const steady = clock.now();
  const wall = Date.now();
  return () => clock.now() - steady < shortMs && Math.abs(Date.now() - wall) < shortMs;
}
