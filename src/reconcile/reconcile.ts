import type { Requeue } from '../runtime/controller.ts';
import type { ResourceKey } from '../runtime/kubernetes-object.ts';
import { writeStatus } from '../runtime/status-writer.ts';
import { announce } from './announce.ts';
import type { Context } from './context.ts';
import type { KindReconciler } from './kind.ts';
import { nextVisit } from './next-visit.ts';
import { perform } from './perform.ts';
import { report } from './report.ts';
import type { Situation } from './situation.ts';
import { userOf } from './user.ts';

/** One visit to one object. The same for all kinds, and no kind escapes it. */
export async function reconcile<S extends Situation>(
  kind: KindReconciler<S>,
  key: ResourceKey,
  context: Context,
  signal: AbortSignal,
): Promise<Requeue> {
  const situation = await kind.observe(key, context); // reads everything, writes nothing
  if (!situation) return forget(kind, key, context);
  follow(kind, situation, key, context);
  const step = kind.decide(situation); // pure: the whole policy
  const outcome = await perform(kind, step, situation, context, signal); // at most one change in the cloud, journaled
  const visit = report(kind, situation, step, outcome);
  if (visit.status) {
    await writeStatus(context.kubernetes, kind.type, visit.object, visit.status, kind.cacheIn(context.caches));
    announce(kind, situation, visit.step, context);
  }
  return nextVisit(kind, situation, visit.step, outcome, context);
}

/** Its lists are polled from now on, and what changes there wakes it. */
function follow<S extends Situation>(kind: KindReconciler<S>, situation: S, key: ResourceKey, { following, claims }: Context): void {
  const { account } = situation;
  if (account.state !== 'usable') return;
  const user = userOf(kind.type.kind, key);
  const { projectId } = account.account;
  const list = kind.listOf(situation);
  const progressList = kind.progressListOf?.(situation);
  if (list)
    following.follow(list, user, (id) =>
      [...claims.claimantsOf(situation.object.kind, projectId, id)].map((claimant) => userOf(claimant.kind, claimant.key)),
    );
  if (progressList) following.follow(progressList, user, () => [user]);
}

function forget<S extends Situation>(kind: KindReconciler<S>, key: ResourceKey, context: Context): Requeue {
  const user = userOf(kind.type.kind, key);
  context.accounts.forget(user);
  context.following.forget(user);
  context.memory.forget(kind.type.kind, key);
  return 'forget';
}
