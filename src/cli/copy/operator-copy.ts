import { AsyncLocalStorage } from 'node:async_hooks';
import type { CloudError } from '../../cloud/cloud-error.ts';
import { rateLimiter } from '../../cloud/rate-limiter.ts';
import { operatorCaches } from '../../operator/caches.ts';
import { cloudKeys } from '../../operator/cloud-keys.ts';
import { contextOf } from '../../operator/context.ts';
import { chance } from '../../operator/random-text.ts';
import { accounts, type OwnKeyWords } from '../../reconcile/credentials/accounts.ts';
import { reconcilers } from '../../reconcile/kinds/all.ts';
import { claimTable } from '../../reconcile/wiring/claims.ts';
import type { Context } from '../../reconcile/wiring/context.ts';
import { wireWakeUps } from '../../reconcile/wiring/wake-ups.ts';
import { carriedOut, finished } from '../../reconcile/reconcile.ts';
import { forget } from '../../reconcile/report/publish.ts';
import type { Visit } from '../../reconcile/report/visit.ts';
import type { RuleOptions } from '../../reconcile/situation/situation.ts';
import type { Situation } from '../../reconcile/situation/situation.ts';
import { type Kind, kinds, type ManagedObject } from '../../resources/managed-object.ts';
import {
  isConflict,
  type Log,
  objectReference,
  type ObjectReference,
  partsOfReference,
  type Requeue,
  type ResourceKey,
} from '../../runtime/index.ts';
import { CommandError } from '../error.ts';
import { cloudCopy, type CloudRequest, type LiveKey } from './cloud-copy.ts';
import type { ClusterCopy } from './cluster-copy.ts';
import { type JumpingClock, settled } from './jumping-clock.ts';

/** The settings that the operator's decisions depend on. */
export interface CopySettings {
  readonly ledgerNamespace: string;
  readonly namespaces: readonly string[] | undefined;
  readonly operatorCredentialsNamespaces: readonly string[];
  /** For the user of the program, whose key stands for that of the operator. Default: as in status. */
  readonly ownKeyWords?: OwnKeyWords | undefined;
  readonly options: RuleOptions;
  readonly database: { readonly user: string; readonly name: string };
}

export interface OperatorCopyOptions {
  readonly settings: CopySettings;
  readonly cluster: ClusterCopy;
  readonly clock: JumpingClock;
  readonly clusterUid: string;
  readonly ownKey: string | undefined;
  readonly openKey: (key: string) => LiveKey;
  readonly log: Log;
  readonly onVisit: (visit: Visit<Situation>, requests: readonly CloudRequest[]) => void;
}

/** The operator's own code, at work on copies of the cluster and of the cloud. */
export interface OperatorCopy {
  /** Wakes an object. */
  enqueue(kind: Kind, key: ResourceKey): void;
  /** Forgets all objects that were woken until now. */
  clear(): void;
  /** Makes visits until nothing happens for a while of policy time. @throws the error of a read of the real cluster or cloud */
  run(signal: AbortSignal): Promise<void>;
  readonly caches: Context['caches'];
}

/** After so long without a change, nothing more happens. Longer than any time of doubt about the cloud's answers. */
const quietMs = 180_000;
/** More visits to an object are a loop. */
const mostVisitsEach = 500;

export function operatorCopy(options: OperatorCopyOptions): OperatorCopy {
  const { clock, onVisit } = options;
  const due = new Map<ObjectReference, number>();
  const visits = new Map<ObjectReference, number>();
  // Visits run at the same time, as those of the operator do: each has requests of its own.
  const requestsOf = new AsyncLocalStorage<CloudRequest[]>();
  let failure: CloudError | undefined;
  let changedAt = clock.now();
  const onFailure = (error: CloudError) => {
    failure ??= error;
  };
  const wake = (reference: ObjectReference) => void due.set(reference, clock.now());
  const context = contextOn(options, {
    wake,
    onRequest: (each) => void requestsOf.getStore()?.push(each),
    onFailure,
  });
  wireWakeUps(context.caches, (kind, key) => wake(objectReference(kind, key)));

  const visit = async (kind: Kind, key: ResourceKey, signal: AbortSignal): Promise<Requeue> => {
    const requests: CloudRequest[] = [];
    try {
      const made = await requestsOf.run(requests, () =>
        carriedOut<Situation>(reconcilers[kind], key, context, { signal, afterReport: asItIs }),
      );
      if (!made) return forget(kind, key, context);
      const next = await finished(made, context);
      onVisit(made, requests);
      if (requests.length > 0 || isChange(made)) changedAt = clock.now();
      return next;
    } catch (error) {
      if (isConflict(error)) return { afterMs: 0 };
      throw error;
    }
  };
  const visitDue = async (reference: ObjectReference, signal: AbortSignal) => {
    due.delete(reference);
    const count = (visits.get(reference) ?? 0) + 1;
    visits.set(reference, count);
    const { kind, key } = partsOfReference(reference);
    if (count > mostVisitsEach)
      throw new CommandError(
        `the plan of ${reference} does not end: report it, with the manifests`,
      );
    const next = await visit(kindOf(kind), key, signal);
    if (next !== 'forget' && !due.has(reference)) due.set(reference, clock.now() + next.afterMs);
  };
  return {
    caches: context.caches,
    enqueue: (kind, key) => wake(objectReference(kind, key)),
    clear: () => due.clear(),
    async run(signal) {
      for (;;) {
        signal.throwIfAborted();
        // Without a part of the cloud, a plan would look complete and not be.
        if (failure) throw failure;
        const now = [...due]
          .flatMap(([reference, at]) => (at <= clock.now() ? [reference] : []))
          .toSorted(inOrder);
        const at = Math.min(...due.values(), clock.nextAt ?? Infinity);
        if (now.length > 0)
          await clock.untilDone(Promise.all(now.map((reference) => visitDue(reference, signal))));
        else if (at > changedAt + quietMs) return;
        else clock.jump(at);
        await settled();
      }
    },
  };
}

interface Listeners {
  readonly wake: (reference: ObjectReference) => void;
  readonly onRequest: (request: CloudRequest) => void;
  readonly onFailure: (error: CloudError) => void;
}

/** The context of an operator whose cluster and cloud are copies. */
function contextOn(
  { settings, cluster, clock, clusterUid, ownKey, openKey, log }: OperatorCopyOptions,
  { wake, onRequest, onFailure }: Listeners,
): Context {
  const caches = operatorCaches(cluster, settings.ledgerNamespace, settings.namespaces);
  const claims = claimTable(caches, clock);
  const cloud = cloudCopy({ clock, onRequest, onFailure });
  const clientOf = (key: string) => ({
    api: cloud.open(openKey(key)),
    limiter: rateLimiter({ clock, perSecond: 1_000_000, burst: 1_000_000 }),
    onOutcome: () => undefined,
    close: () => undefined,
  });
  const toCloud = cloudKeys({ clientOf, claims, clock, random: () => 0 });
  const keys = accounts({
    kubernetes: cluster.client,
    heldSecrets: caches.credentialsSecrets,
    ownKey: () => Promise.resolve(ownKey),
    ownKeyWords: settings.ownKeyWords,
    ownKeyNamespaces: settings.operatorCredentialsNamespaces,
    openKey: (key, operatorsOwn) => toCloud.open(key, operatorsOwn),
    wake: (users) => users.forEach(wake),
  });
  const runtime = {
    client: cluster.client,
    recording: cluster.client,
    leadership: { held: true },
    shard: undefined,
    events: { record: () => undefined, flush: () => Promise.resolve() },
    enqueue: wake,
  };
  const { options, database } = settings;
  return contextOf(runtime, {
    caches,
    definitionOf: noDefinition,
    accounts: keys,
    claims,
    clock,
    log,
    options,
    database,
    clusterUid,
    ...chance,
  });
}

/** A plan does not check whether a CRD is being deleted, or outdated. */
const noDefinition = () => Promise.resolve(undefined);

function isChange({ step, outcome }: Visit<Situation>): boolean {
  return (
    (step.type === 'call' || step.type === 'write' || step.type === 'release') &&
    outcome.type !== 'nothing' &&
    // A refused write changes nothing, and its retries would keep the plan from an end.
    outcome.type !== 'stalled' &&
    outcome.type !== 'writeFailed' &&
    outcome.type !== 'released'
  );
}

/** In the order in which references are created: VPCs, services, replica sets; then by namespace and name. */
export function inOrder(a: ObjectReference, b: ObjectReference): number {
  return place(a) - place(b) || (a < b ? -1 : 1);
}

function place(reference: ObjectReference): number {
  return kinds.findIndex((kind) => reference.startsWith(`${kind}/`));
}

function kindOf(text: string): Kind {
  const kind = kinds.find((each) => each === text);
  if (!kind) throw new Error(`no kind: ${text}`);
  return kind;
}

/** The copy reports no silence of the cloud. */
function asItIs(object: ManagedObject): Promise<ManagedObject> {
  return Promise.resolve(object);
}
