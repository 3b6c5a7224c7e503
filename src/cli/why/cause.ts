import {
  hasReason,
  isHeld,
  isReason,
  means,
  syncedOf,
  type Condition,
  type HeldReason,
} from '../../resources/condition.ts';
import {
  heldChangesOf,
  typeOf,
  type Kind,
  type ManagedObject,
} from '../../resources/managed-object.ts';
import {
  objectReference,
  referenceOf,
  resourceKey,
  type ObjectReference,
} from '../../runtime/index.ts';

/** The objects of the operator in a cluster. Of an object that is as its spec asks, only the reference is kept. */
export interface Objects {
  /** Objects that are not as their specs ask, or wait for the operator. */
  readonly findings: ReadonlyMap<ObjectReference, ManagedObject>;
  readonly satisfied: ReadonlySet<ObjectReference>;
}

/** Reads objects, and keeps those with a finding. @param pages such as of `objectPages` */
export async function findingsIn(
  pages: AsyncIterable<readonly ManagedObject[]> | Iterable<readonly ManagedObject[]>,
): Promise<Objects> {
  const findings = new Map<ObjectReference, ManagedObject>();
  const satisfied = new Set<ObjectReference>();
  for await (const page of pages)
    for (const object of page)
      if (ownCause(object).waitsFor === 'nothing') satisfied.add(referenceOf(object));
      else findings.set(referenceOf(object), object);
  return { findings, satisfied };
}

export interface Named {
  readonly kind: Kind;
  readonly namespace: string;
  readonly name: string;
}

/** The reason of an object that does not exist. */
export const notFound = 'NotFound';

/** Whether the operator goes on by itself as soon as a person has ended the cause. */
export function isNoticed(reason: string): boolean {
  const noticed = ['leftAsItIs', 'retriedInVain'] as const;
  return (
    reason === notFound ||
    isReason(reason, 'WaitingForWindow') ||
    noticed.some((meaning) => means(reason, meaning))
  );
}

/** The reason why an object is not as its spec asks. */
export interface Explanation {
  readonly of: Named;
  /** From the object to the cause: each object waits for the next object. */
  readonly chain: readonly Named[];
  readonly reason: string;
  readonly message: string;
  /** RFC 3339; undefined if the cause has no time. */
  readonly since: string | undefined;
  /** Who ends it: the operator or the cloud alone, or a person. */
  readonly waitsFor: 'nothing' | 'time' | 'person';
}

/** Follows references, or dependents of a deletion, to the object with the cause. Pure. */
export function explain(object: ManagedObject, objects: Objects): Explanation {
  const path: ManagedObject[] = [object];
  for (;;) {
    const last = path.at(-1) ?? object;
    const next = blockersOf(last, objects).find(
      (each) => !path.some((seen) => isSame(named(seen), each)),
    );
    const chain = path.map(named);
    if (!next) return { of: named(object), chain, ...ownCause(last) };
    const target = objects.findings.get(referenceTo(next));
    if (target) {
      path.push(target);
      continue;
    }
    const message = `it does not exist: create it, or correct the reference in ${last.kind} ${last.metadata.name}`;
    const since = timeOf(syncedOf(last)?.lastTransitionTime);
    return {
      of: named(object),
      chain: [...chain, next],
      reason: notFound,
      message,
      since,
      waitsFor: 'person',
    };
  }
}

function named({ kind, metadata: { namespace, name } }: ManagedObject): Named {
  return { kind, namespace, name };
}

function referenceTo({ kind, namespace, name }: Named): ObjectReference {
  return objectReference(kind, resourceKey(namespace, name));
}

function isSame(a: Named, b: Named): boolean {
  return a.kind === b.kind && a.namespace === b.namespace && a.name === b.name;
}

/** The objects, existing or not, for which this object waits. */
function blockersOf(object: ManagedObject, objects: Objects): readonly Named[] {
  const { namespace } = object.metadata;
  if (hasReason(object, 'WaitingForReference', 'WaitingForCloud', 'AttachingVpc')) {
    const wanted = typeOf(object)
      .references(object)
      .flatMap(({ kind, name }) => (name === undefined ? [] : [{ kind, namespace, name }]));
    return wanted.filter((each) => {
      if (objects.satisfied.has(referenceTo(each))) return false;
      const target = objects.findings.get(referenceTo(each));
      return target ? !isSynced(target) : hasReason(object, 'WaitingForReference');
    });
  }
  if (!hasReason(object, 'Deleting', 'DeletionBlocked')) return [];
  return [...objects.findings.values()].flatMap((each) =>
    each.metadata.namespace === namespace && refersTo(each, object) && holdsDeletionOf(object, each)
      ? [named(each)]
      : [],
  );
}

/**
 * Whether the deletion of an object waits for the progress of a dependent, and not for a person who deletes the
 * dependent. A dependent that stays has other waits, which do not matter to the deletion.
 */
function holdsDeletionOf(object: ManagedObject, dependent: ManagedObject): boolean {
  const isLeaving = dependent.metadata.deletionTimestamp !== undefined;
  return hasReason(object, 'DeletionBlocked')
    ? isLeaving && ownCause(dependent).waitsFor === 'person'
    : isLeaving || hasReason(dependent, 'Creating');
}

function refersTo(from: ManagedObject, to: ManagedObject): boolean {
  const references = typeOf(from).references(from);
  return references.some(
    ({ kind, name, id }) =>
      kind === to.kind && (name === to.metadata.name || (id !== undefined && id === to.status?.id)),
  );
}

function isSynced(object: ManagedObject): boolean {
  return syncedOf(object)?.status === 'True' && object.metadata.deletionTimestamp === undefined;
}

function ownCause(
  object: ManagedObject,
): Pick<Explanation, 'reason' | 'message' | 'since' | 'waitsFor'> {
  const conditions: readonly Condition[] = object.status?.conditions ?? [];
  const synced = syncedOf(object);
  const isOutdated = synced?.observedGeneration !== object.metadata.generation;
  if (!synced || hasReason(object, 'Pending') || isOutdated) {
    const message =
      'the operator has not looked at this object, or at its last change: look whether it runs, and looks after this namespace';
    return { reason: 'Pending', message, since: undefined, waitsFor: 'person' };
  }
  const isStalled = conditions.some(({ type, status }) => type === 'Stalled' && status === 'True');
  const hasHours = 'runningHours' in object.spec && object.spec.runningHours !== undefined;
  const isLeftSo =
    synced.status === 'False' &&
    (hasReason(object, 'Observed') || (hasReason(object, 'Stopped') && !hasHours));
  const needsPerson =
    isStalled ||
    isLeftSo ||
    isHeldByPerson(object) ||
    object.spec.suspend === true ||
    means(synced.reason, 'retriedInVain');
  const waitsFor = needsPerson ? 'person' : isSynced(object) ? 'nothing' : 'time';
  return {
    reason: synced.reason,
    message: synced.message,
    // A suspension leaves the status True or False, and so leaves its time.
    since: hasReason(object, 'Suspended') ? undefined : sinceOf(conditions, synced),
    waitsFor,
  };
}

/** Whether a held change waits for an approval, or for windows that a person must widen or correct. */
function isHeldByPerson(object: ManagedObject): boolean {
  const held = heldChangesOf(object);
  const isReported = isHeld(object) || hasReason(object, 'Stopped');
  return isReported && held.some((each) => each.waitsFor === 'Approval' || !each.until);
}

/** A condition keeps its time while its status stays. The latest change of a status with this reason began the reason. */
function sinceOf(
  conditions: readonly Condition[],
  { reason, lastTransitionTime }: Condition,
): string | undefined {
  const times = conditions.flatMap((each) =>
    each.reason === reason ? [each.lastTransitionTime] : [],
  );
  return timeOf(times.toSorted((a, b) => Date.parse(b) - Date.parse(a))[0] ?? lastTransitionTime);
}

/** Undefined for a missing time, and for the begin of 1970, which defaults in the CRD use for it. */
export function timeOf(at: string | null | undefined): string | undefined {
  return at && Date.parse(at) > 0 ? at : undefined;
}

export interface Cause extends Pick<Explanation, 'reason' | 'message' | 'since' | 'waitsFor'> {
  readonly objects: readonly Named[];
}

const heldMessages: Readonly<Record<string, string | undefined>> = {
  WaitingForWindow: 'changes wait for a change window',
  WaitingForApproval: "changes wait for a person's approval",
} satisfies Record<HeldReason, string>;

/** Whether objects with this reason have a common cause, which no message tells apart. */
function isShared(reason: string, waitsFor: Explanation['waitsFor']): boolean {
  if (isReason(reason, 'WaitingForWindow')) return waitsFor === 'time';
  return means(reason, 'sharedCause');
}

/**
 * Groups objects by their cause, the cause of most objects first. An outage and a rejected key are the same cause for
 * all. Pure.
 */
export function causesOf(explanations: readonly Explanation[]): readonly Cause[] {
  const groups = Map.groupBy(explanations, ({ chain, reason, message, waitsFor }) => {
    const root = chain.at(-1);
    if (isShared(reason, waitsFor)) return reason;
    return means(reason, 'sharedKey')
      ? `${reason} ${message}`
      : `${root?.kind}/${root?.namespace}/${root?.name}`;
  });
  const causes = [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (!first) return [];
    const objects = group.map(({ of }) => of);
    // The message of a held object names its own changes.
    const ofAll = objects.length > 1 ? heldMessages[first.reason] : undefined;
    return [{ ...first, message: ofAll ?? first.message, objects }];
  });
  return causes.toSorted((a, b) => b.objects.length - a.objects.length);
}
