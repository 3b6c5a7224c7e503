import { heldReply } from './held-reply.ts';
import { readyService } from './ready-service.ts';
import type { World } from './world.ts';

/** A ready service, and an operator to which the reply to the first call that sets a password is held back. */
export async function heldPassword(world: World) {
  const { intercept, ...reply } = heldReply(({ method, path }) => method === 'POST' && path.endsWith('/updatePassword'));
  await world.startedOperator({ intercept });
  return { ...reply, id: await readyService(world) };
}
