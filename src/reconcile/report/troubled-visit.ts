import { patienceMs } from './patience.ts';
import { stillAsks, wasSynced } from './visit.ts';
import {
  differsOnlyInStatus,
  isConflict,
  KubernetesError,
  patchStatus,
  statusPatch,
  type EventRecorder,
  type KubernetesClient,
  type ResourceKey,
  systemClock,
} from '../../runtime/index.ts';
import { servingOf } from '../../resources/condition.ts';
import { conditionsOf } from './status.ts';
import type { Context } from '../wiring/context.ts';
import type { KindReconciler } from '../kinds/kind.ts';
import type { Situation } from '../situation/situation.ts';
import { failedWriteStep, isPassing, conflictStep } from '../step/errors.ts';
import { wait, type Step } from '../step/step.ts';
import type { ManagedObject } from '../../resources/managed-object.ts';

type Reporting = Pick<Context, 'caches' | 'clock' | 'shard'> & {
  readonly kubernetes: Pick<KubernetesClient, 'get' | 'patch'>;
};

/**
 * Reports a failed visit: a bug, or a failed call to Kubernetes in `observe` or in the status write. The report is in the status,
 * or in an event if that cannot be written. If the failure may pass, a Ready status and a request to a person stay, and an event
 * has the failure. The log has the stack trace, where no user's value may be.
 */
export async function reportInternalError<S extends Situation>(
  kind: Pick<KindReconciler<S>, 'type'>,
  key: ResourceKey,
  error: unknown,
  context: Reporting & { readonly events: Pick<EventRecorder, 'record'> },
): Promise<void> {
  const object = context.caches.of(kind.type.kind).get(key);
  if (!object || context.shard?.isOurs(object) === false) return;
  const message = messageOf(error);
  const report = () =>
    context.events.record(object, { type: 'Warning', reason: 'InternalError', message });
  if (isPassing(error) && (wasSynced(object) || stillAsks(object))) return report();
  try {
    const step = wait('InternalError', message);
    await putConditions(kind, object, { step, generation: object.metadata.generation }, context);
  } catch {
    report();
  }
}

async function putConditions(
  { type }: Pick<KindReconciler<Situation>, 'type'>,
  object: ManagedObject,
  { step, generation }: { readonly step: Step; readonly generation: number | undefined },
  { caches, clock, shard, kubernetes }: Reporting,
): Promise<ManagedObject> {
  const { status } = object;
  const conditions = conditionsOf(step, servingOf(object), status?.conditions ?? [], {
    observedGeneration: generation,
    now: clock.now(),
  });
  const reported = { ...status, observedGeneration: generation, conditions };
  const difference = statusPatch(object, reported);
  // Another shard may have written the status since: the write is then locked.
  return difference
    ? patchStatus(kubernetes, type, {
        object,
        difference,
        cache: caches.of(type.kind),
        isShared: shard !== undefined,
      })
    : object;
}

function messageOf(error: unknown): string {
  if (!(error instanceof KubernetesError)) {
    const name = error instanceof Error ? error.name : typeof error;
    return `the operator made a mistake here (${name}), and tries again; its log has the details: please report them`;
  }
  const step = isConflict(error) ? conflictStep(error) : failedWriteStep(error);
  return step.type === 'keep' ? step.delayedReport.message : step.message;
}

const silent = wait(
  'WaitingForCloud',
  'the cloud has not answered yet: the operator waits, and continues by itself',
);

/**
 * The object as the report of a silent cloud left it, once this report is written. A visit continues with this version, since
 * the operator's own report is no change. Any other version of the object is returned as it is.
 */
export type AfterReport = (object: ManagedObject) => Promise<ManagedObject>;

/** Runs a visit. If it lasts for some seconds, the object says that the cloud does not answer; a status about the present spec stays. */
export async function reportingSilence<S extends Situation, T>(
  kind: Pick<KindReconciler<S>, 'type'>,
  key: ResourceKey,
  context: Context,
  visit: (afterReport: AfterReport) => Promise<T>,
): Promise<T> {
  let report: Promise<Reported | undefined> = Promise.resolve(undefined);
  const timer = systemClock.schedule(patienceMs.silence, () => {
    // The visit itself reports a Kubernetes that takes no write.
    report = reportSilence(kind, key, context).catch(() => undefined);
  });
  try {
    return await visit(async (object) => {
      const { before, after } = (await report) ?? { before: undefined, after: object };
      const isOfThisVersion = before?.metadata.resourceVersion === object.metadata.resourceVersion;
      // The answer to the write also has a change that another client made in between.
      return isOfThisVersion && differsOnlyInStatus(object, after) ? after : object;
    });
  } finally {
    timer[Symbol.dispose]();
    await report;
  }
}

/** The object before and after the report. */
interface Reported {
  readonly before: ManagedObject;
  readonly after: ManagedObject;
}

async function reportSilence<S extends Situation>(
  kind: Pick<KindReconciler<S>, 'type'>,
  key: ResourceKey,
  context: Context,
): Promise<Reported | undefined> {
  const object = context.caches.of(kind.type.kind).get(key);
  if (!object || context.shard?.isOurs(object) === false) return undefined;
  const generation = object.status?.observedGeneration;
  if (generation === object.metadata.generation) return undefined;
  // The generation stays: no visit has looked at the spec yet.
  const after = await putConditions(kind, object, { step: silent, generation }, context);
  return { before: object, after };
}
