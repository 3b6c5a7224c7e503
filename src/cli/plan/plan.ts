import { syncedOf } from '../../resources/condition.ts';
import { resourceTypes, type Kind, type ManagedObject } from '../../resources/managed-object.ts';
import { ledgerEntries } from '../../resources/ledger-entry.ts';
import { namespaceMetadata } from '../../resources/namespace-metadata.ts';
import { secretMetadata } from '../../resources/secret-metadata.ts';
import { connectionSecrets } from '../../resources/watched-secret.ts';
import {
  keyOf,
  objectReference,
  referenceOf,
  type Log,
  type ObjectReference,
  type ResourceKey,
  type ResourceType,
} from '../../runtime/index.ts';
import type { LiveKey } from '../copy/cloud-copy.ts';
import { shortNameOf } from '../objects.ts';
import { clusterCopy, type ClusterReader } from '../copy/cluster-copy.ts';
import { jumpingClock } from '../copy/jumping-clock.ts';
import { inOrder, operatorCopy, type CopySettings } from '../copy/operator-copy.ts';
import type { ClusterSnapshot } from '../read/snapshot.ts';
import { notesOn } from './notes.ts';
import { creates, heldSteps, plannedStep, type PlannedStep } from './step.ts';

/** Whether the steps follow from the manifests (`spec`), or also happen without them (`drift`). */
export type Cause = 'spec' | 'drift';

export interface ObjectPlan {
  readonly kind: Kind;
  readonly namespace: string;
  readonly name: string;
  /** Undefined without a resource before the plan. */
  readonly id: string | undefined;
  readonly steps: readonly (PlannedStep & { readonly cause: Cause })[];
  /** The effects of the edit that need no step, such as the end of a protection. */
  readonly notes: readonly string[];
  /** The spec is applied, the object is gone, the object waits for the named reason, or the user may not know its end. */
  readonly end: 'synced' | 'gone' | 'waits' | 'unknown';
  readonly reason: string | undefined;
  readonly message: string | undefined;
}

export type Edit =
  /** An object as the API server would store it. */
  | {
      readonly type: 'apply';
      readonly resource: ResourceType<unknown>;
      readonly object: unknown;
      readonly of: { readonly kind: Kind; readonly key: ResourceKey } | undefined;
    }
  | { readonly type: 'delete'; readonly kind: Kind; readonly key: ResourceKey };

export interface PlanInput {
  readonly snapshot: ClusterSnapshot;
  readonly live: ClusterReader;
  readonly openKey: (key: string) => LiveKey;
  readonly settings: CopySettings;
  readonly ownKey: string | undefined;
  readonly log: Log;
  readonly edits: readonly Edit[];
  /** Objects to plan beside those that are edited. */
  readonly also: (object: ManagedObject) => boolean;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** Plans the steps of the operator: runs it on a copy, with and without the edits. The steps that both runs make are drift. */
export async function plan(input: PlanInput, signal: AbortSignal): Promise<readonly ObjectPlan[]> {
  const after = await rehearsed(input, signal);
  const hasSteps = [...after.values()].some(({ steps }) => steps.length > 0);
  const before =
    hasSteps && input.edits.length > 0
      ? await rehearsed({ ...input, edits: [], also: isIn(input.edits, input.also) }, signal)
      : undefined;
  const sorted = [...after].toSorted(([a], [b]) => inOrder(a, b));
  return sorted.map(([reference, { steps, ...each }]) => {
    const known = new Set(
      (before?.get(reference)?.steps ?? []).map(({ operation, text }) => `${operation} ${text}`),
    );
    const isDrift = ({ operation, text }: PlannedStep) =>
      input.edits.length === 0 || known.has(`${operation} ${text}`);
    return {
      ...each,
      steps: steps.map((step) => ({ ...step, cause: isDrift(step) ? 'drift' : 'spec' })),
    };
  });
}

function isIn(edits: readonly Edit[], also: PlanInput['also']): PlanInput['also'] {
  const edited = new Set(edits.flatMap((edit) => referenceOfEdit(edit) ?? []));
  return (object) => edited.has(referenceOf(object)) || also(object);
}

function referenceOfEdit(edit: Edit): ObjectReference | undefined {
  if (edit.type === 'delete') return objectReference(edit.kind, edit.key);
  return edit.of && objectReference(edit.of.kind, edit.of.key);
}

interface Rehearsed extends Omit<ObjectPlan, 'steps'> {
  readonly steps: PlannedStep[];
}

async function rehearsed(
  input: PlanInput,
  signal: AbortSignal,
): Promise<ReadonlyMap<ObjectReference, Rehearsed>> {
  const { snapshot, live, edits, now } = input;
  const clock = jumpingClock(now);
  const cluster = clusterCopy({
    get: (...args) => clock.during(live.get(...args)),
    list: (...args) => clock.during(live.list(...args)),
  });
  const seen = new Map<
    ObjectReference,
    { readonly object: ManagedObject; readonly steps: PlannedStep[] }
  >();
  const created = new Map<string, string>();
  const noted = (object: ManagedObject) => {
    const known = seen.get(referenceOf(object)) ?? { object, steps: [] };
    seen.set(referenceOf(object), known);
    return known.steps;
  };
  const operator = operatorCopy({
    ...input,
    cluster,
    clock,
    clusterUid: snapshot.clusterUid,
    onVisit(visit, requests) {
      const { object } = visit.situation;
      for (const { newId } of requests)
        if (newId !== undefined)
          created.set(newId, `${shortNameOf(object.kind)}/${object.metadata.name}`);
      const step = plannedStep(visit, requests, (id) => created.get(id));
      const steps = noted(object);
      // A resource that this plan creates has no users yet.
      const isNew = steps.some(({ operation }) => creates(operation));
      if (step) steps.push(isNew ? { ...step, impact: 'none' } : step);
    },
  });
  for (const [kind, objects] of snapshot.objects) cluster.load(resourceTypes[kind], objects);
  cluster.load(ledgerEntries, snapshot.entries);
  cluster.load(connectionSecrets, snapshot.connectionSecrets);
  cluster.load(secretMetadata, snapshot.credentialsSecrets);
  cluster.load(namespaceMetadata, snapshot.namespaces);
  const stored = new Map<ObjectReference, ManagedObject>();
  for (const edit of edits) {
    const reference = edit.type === 'apply' ? referenceOfEdit(edit) : undefined;
    const before =
      edit.type === 'apply' && edit.of && operator.caches.of(edit.of.kind).get(edit.of.key);
    if (reference && before) stored.set(reference, before);
    if (edit.type === 'apply') cluster.put(edit.resource, edit.object);
    else await cluster.remove(resourceTypes[edit.kind], edit.key);
  }
  operator.clear();
  const isPlanned = isIn(edits, input.also);
  for (const cache of operator.caches.ofAllKinds)
    for (const object of cache.values())
      if (isPlanned(object)) operator.enqueue(object.kind, keyOf(object));
  await operator.run(signal);
  return new Map(
    [...seen].map(([reference, { object, steps: made }]) => {
      const current: ManagedObject | undefined = operator.caches.of(object.kind).get(keyOf(object));
      const steps = [...made, ...heldSteps(current)];
      const notes = notesOn(stored.get(reference), current);
      return [
        reference,
        { ...placeOf(object), id: object.status?.id, steps, notes, ...endOf(current) },
      ];
    }),
  );
}

function placeOf({
  kind,
  metadata: { namespace, name },
}: ManagedObject): Pick<ObjectPlan, 'kind' | 'namespace' | 'name'> {
  return { kind, namespace, name };
}

function endOf(object: ManagedObject | undefined): Pick<ObjectPlan, 'end' | 'reason' | 'message'> {
  if (!object) return { end: 'gone', reason: undefined, message: undefined };
  const synced = syncedOf(object);
  if (synced?.status === 'True')
    return { end: 'synced', reason: synced.reason, message: synced.message };
  return { end: 'waits', reason: synced?.reason, message: synced?.message };
}
