import type { CallOptions } from '../../cloud/cloud-api.ts';
import type { Clock, Leadership } from '../../runtime/index.ts';
import { sendWithinMs } from '../record/attempt.ts';
import type { ArgumentsOf, CallOf, CallOperation } from '../step/action.ts';

/**
 * Whether a request may still be sent: it is young enough by both clocks, and the lease is provably held. Uses real time on purpose. A process that was
 * frozen would otherwise send an old request, and the wall clock may have been set forward or back.
 */
export function sendFence(leadership: Leadership): () => boolean {
  const steady = performance.now();
  const wall = Date.now();
  return () => leadership.held && performance.now() - steady < sendWithinMs && Math.abs(Date.now() - wall) < sendWithinMs;
}

const shortMs = 5_000;

/** Whether so little time has passed, by policy time and by the wall clock, that this process cannot have been frozen while others acted. */
export function notFrozenSince(clock: Clock): () => boolean {
  const steady = clock.now();
  const wall = Date.now();
  return () => clock.now() - steady < shortMs && Math.abs(Date.now() - wall) < shortMs;
}

/** Every operation on an existing resource takes its options last. */
type Operations = { readonly [O in CallOperation]: (...args: [...ArgumentsOf<O>, CallOptions]) => Promise<void> };

/** Sends a change or a deletion, if it may still be sent. @throws {CloudError} */
export function send<O extends CallOperation>(project: Operations, asked: CallOf<O>, mayBeSent: () => boolean): Promise<void> {
  return project[asked.operation](...asked.args, { mayBeSent });
}
