import { setTimeout as pause } from 'node:timers/promises';
import * as z from 'zod';
import type { ApiServer } from '../integration/crds/api-server.ts';

/**
 * The time from the last renewal by a Lease holder to the acquisition by the next holder, in milliseconds, as the
 * holders wrote it.
 */
export type Gap = number;

const time = z.iso.datetime({ offset: true }).transform((text) => Date.parse(text));
const lease = z.object({
  spec: z.object({ holderIdentity: z.string().default(''), acquireTime: time, renewTime: time }),
});
const betweenLooksMs = 100;

/** @param path of a Lease @returns its holder; empty where it was given back */
export async function holderOf(path: string, server: ApiServer): Promise<string> {
  return lease.parse((await server.send('GET', path)).body).spec.holderIdentity;
}

/** Looks at a Lease until the signal, once after it, and until it is held. @param path of the Lease @returns the gap before each new holder */
export async function gapsIn(
  path: string,
  server: ApiServer,
  signal: AbortSignal,
): Promise<readonly Gap[]> {
  const gaps: Gap[] = [];
  let last: { readonly holder: string; readonly renewedAt: number } | undefined;
  let isHeld = false;
  for (let isLast = false; !isLast || !isHeld; await pause(betweenLooksMs)) {
    isLast = signal.aborted;
    const { body } = await server.send('GET', path);
    const { holderIdentity: holder, acquireTime, renewTime: renewedAt } = lease.parse(body).spec;
    isHeld = holder !== '';
    if (!isHeld) continue; // given back
    if (last && last.holder !== holder) gaps.push(acquireTime - last.renewedAt);
    last = { holder, renewedAt };
  }
  return gaps;
}
