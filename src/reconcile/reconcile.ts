import { reportInMs } from './report/patience.ts';
import {
  isConflict,
  KubernetesError,
  referenceOf,
  type Requeue,
  type ResourceKey,
} from '../runtime/index.ts';
import type { Context } from './wiring/context.ts';
import { conclude } from './report/conclude.ts';
import {
  failingSince,
  follow,
  forget,
  learn,
  publish,
  restart,
  type MadeVisit,
} from './report/publish.ts';
import type { KindReconciler } from './kinds/kind.ts';
import {
  reportInternalError,
  reportingSilence,
  type AfterReport,
} from './report/troubled-visit.ts';
import { memoryAbout } from './wiring/memory.ts';
import { lookAgain } from './act/look-again.ts';
import { perform } from './act/perform.ts';
import { sweepEntries } from './act/release.ts';
import { describeStep } from './step/step.ts';
import { intervals } from './step/intervals.ts';
import { isPassing } from './step/errors.ts';
import { factsJson } from './situation/facts-json.ts';
import type { Situation } from './situation/situation.ts';
import { slowedDown, countAsDone } from './report/slowed-down.ts';

/** Makes a visit to an object. A bug of the operator is reported on the object, and retried with the controller's back-off. */
export async function reconcile<S extends Situation>(
  kind: KindReconciler<S>,
  key: ResourceKey,
  context: Context,
  signal: AbortSignal,
): Promise<Requeue> {
  try {
    const visit = await reportingSilence(kind, key, context, (afterReport) =>
      carriedOut(kind, key, context, { signal, afterReport }),
    );
    return visit ? await finished(visit, context) : forget(kind.type.kind, key, context);
  } catch (error) {
    const isBrief = !hasLasted(kind, key, context);
    if (isConflict(error) && isBrief) return { afterMs: intervals.afterConflictMs };
    // The controller logs the error, even if it cannot be reported on the object.
    if (!signal.aborted && !(isPassing(error) && isBrief))
      await reportInternalError(kind, key, error, context).catch(() => undefined);
    // A bug may have ended the visit between a request and its conclusion.
    if (!(error instanceof KubernetesError)) restart(kind.type.kind, key, context);
    throw error;
  }
}

/** Whether visits have failed for so long that it must be reported: another writer may interfere each time, or a webhook fail. */
function hasLasted<S extends Situation>(
  kind: KindReconciler<S>,
  key: ResourceKey,
  context: Context,
): boolean {
  const since = failingSince(kind.type.kind, key, context);
  return reportInMs('trouble', since, context.clock.now()) === 0;
}

/** Concludes a visit and publishes the conclusion. Returns the time of the next visit. */
export function finished<S extends Situation>(
  visit: MadeVisit<S>,
  context: Context,
): Promise<Requeue> {
  const conclusion = conclude(visit); // pure: status, events, memory and the next visit
  follow(conclusion.work, visit, context);
  return publish(visit, conclusion, context); // the only writer
}

/** Undefined if the object is gone, or is another process's. */
export async function carriedOut<S extends Situation>(
  kind: KindReconciler<S>,
  key: ResourceKey,
  context: Context,
  { signal, afterReport }: { readonly signal: AbortSignal; readonly afterReport: AfterReport },
): Promise<MadeVisit<S> | undefined> {
  const observation = await kind.observe(key, context); // reads everything, changes nothing
  // An observation may wait for long: another process may have got the object meanwhile.
  const isOthers = context.shard?.isOurs(context.caches.of(kind.type.kind).get(key)) === false;
  if (!observation) await sweepEntries(kind.type.kind, key, context);
  if (!observation || isOthers) return undefined;
  const { facts, sources } = observation;
  const situation = kind.situationOf(facts);
  learn(observation, context); // memory and list subscriptions follow the observation
  const step = slowedDown(kind.decide(situation), situation, context); // decide is pure: the whole policy
  // Described only where the line is written: facts and step may be long.
  const [described, read] = [() => describeStep(step), () => factsJson(facts)];
  context.log.debug(
    { object: referenceOf(facts.object), step: { toJSON: described }, facts: { toJSON: read } },
    'decided',
  );
  const overtaken = await lookAgain(kind, step, situation, observation); // a list may lag
  const target = {
    object: await afterReport(situation.object),
    account: sources.account,
    hasRules: situation.rules !== undefined,
  };
  const outcome = overtaken ?? (await perform(step, target, context, signal)); // at most a single change in the cloud, recorded before it is sent
  countAsDone(step, outcome, situation, context);
  const memory = memoryAbout(context.memory.known(kind.type.kind, key), situation.record.id);
  return {
    kind,
    situation,
    sources,
    step,
    outcome,
    memory,
    endedAt: context.clock.now(),
    random: context.random(),
  };
}
