import type { ReconcilingReason } from '../../resources/condition.ts';
import { type CloudChange, call, stall, wait, type Step } from '../step/step.ts';
import { listedToFit, withMore } from '../step/short-message.ts';
import { intervals } from '../step/intervals.ts';
import { effectWithinMs, ownStatus } from '../situation/history.ts';
import { gateOf, type GateSituation } from './gate.ts';
import type { Rule } from './rule.ts';
import type { PendingChange, Situation } from '../situation/situation.ts';
import { refusalKey } from '../step/outcome.ts';

/** A situation in which the cloud shows the resource, before its pending changes are known. */
export type Shown<Resource, S> = Omit<S, 'pendingChanges'> & {
  readonly id: string;
  readonly resource: Resource;
};

/** A kind of change of an existing resource. `Mirror` is the resource in status. */
export interface Change<S, Mirror = unknown> {
  readonly pending: (situation: S) => PendingChange | undefined;
  /** The path in the spec and the value there. A change of it in the cloud is reported as drift. */
  readonly drift?: (mirror: Mirror) => readonly [path: string, value: unknown];
}

/**
 * The changes that the spec requests of an existing resource. Pure.
 * @param list the possible changes, in the order in which they are made
 */
export function pendingChanges<Resource, S extends Omit<Situation<Resource>, 'pendingChanges'>>(
  list: readonly Change<S & { readonly id: string; readonly resource: Resource }, never>[],
  situation: S,
): readonly PendingChange[] {
  const { record, cloud } = situation;
  if (record.id === undefined || cloud.state !== 'present') return [];
  const shown = { ...situation, id: record.id, resource: cloud.resource };
  return list.map(({ pending }) => pending(shown)).filter((change) => change !== undefined);
}

/** Makes the first possible change in the list that the gate does not hold. The message names the next changes. */
export const makeNextChange: Rule<GateSituation> = (situation) => {
  const changes = situation.pendingChanges.filter(
    (change) => change.isPostponed !== true && !gateOf(change, situation),
  );
  const next = changes.find(({ blockedForMs }) => blockedForMs === undefined);
  return next && withOthers(next, next.step, changes);
};

/**
 * Reports the first change that is not possible now. The next visit follows when the first blocked
 * change may be tried.
 */
export const reportBlockedChanges: Rule<Pending> = ({ pendingChanges: pending }) => {
  const changes = pending.filter(
    ({ isPostponed, blockedForMs }) => isPostponed !== true && blockedForMs !== undefined,
  );
  const [first] = changes;
  return (
    first &&
    withOthers(
      first,
      withNextVisitIn(
        first.step,
        Math.min(...changes.map(({ blockedForMs = Infinity }) => blockedForMs)),
      ),
      changes,
    )
  );
};

type Pending = Pick<Situation, 'pendingChanges'>;

function withOthers(next: PendingChange, step: Step, changes: readonly PendingChange[]): Step {
  const others = changes.filter((change) => change !== next).map(({ name }) => name);
  return others.length === 0 || step.type === 'keep'
    ? step
    : { ...step, message: withMore(step.message, `; then: ${others.join(', ')}`) };
}

/** The step with another time of the next visit. Only a wait and a stall have such a time. */
export function withNextVisitIn(step: Step, ms: number): Step {
  if (step.type === 'wait') return { ...step, afterMs: ms };
  return step.type === 'stall' ? { ...step, retryAfterMs: ms } : step;
}

/** The difference between spec and resource as text for people, without a secret value. */
export function difference({ name, path, from, wanted }: PendingChange): string {
  return from === undefined || wanted === undefined
    ? name
    : `${path ?? name} is ${from}, not ${wanted}`;
}

/** The message with the differences of a resource that is left as it is. */
export function withDifferences(message: string, differences: readonly string[]): string {
  if (differences.length === 0) return message;
  const start = `${message}; it differs: `;
  return start + listedToFit(differences, start);
}

interface ValueChange {
  readonly name: string;
  readonly path: string;
  readonly change: CloudChange;
  /** The values in the cloud and in the spec as text. They also show whether a change was applied. */
  readonly from: string;
  readonly wanted: string;
  readonly reason: ReconcilingReason;
  readonly progress: string;
  readonly request: string;
  /** Advice after a refusal, such as `change spec.name`. */
  readonly remedy: string;
}

/** A change that is requested once. (docs/safety.md, Changing) */
export function requestOnce(situation: ChangeSituation, asked: ValueChange): PendingChange {
  const { name, path, change, from, wanted, reason, progress, request, remedy } = asked;
  const { object, now, noun, cloud, lastOperation: last } = situation;
  const { generation } = object.metadata;
  const pending = { name, path, from, wanted, operation: change.operation };
  const isAccepted =
    last?.operation === change.operation && last.wanted === wanted && last.from === from;
  const acceptedAt = last?.at ?? 0;
  // Only an observation that is late enough proves that the change had no effect.
  const isSeenLate = cloud.state === 'present' && cloud.asOf >= acceptedAt + effectWithinMs;
  if (isAccepted && last.wasBusy !== true && !isSeenLate) {
    const afterMs = Math.max(effectWithinMs - (now - acceptedAt), intervals.forEffectMs);
    return { ...pending, step: wait(reason, progress, { inProgressSince: acceptedAt, afterMs }) };
  }
  const earlier = [...(ownStatus(situation)?.notApplied ?? []), ...(last ? [last] : [])];
  const isWithoutEffect = earlier.some(
    (each) =>
      each.operation === change.operation &&
      each.wanted === wanted &&
      each.from === from &&
      each.generation === generation,
  );
  if (isWithoutEffect) {
    const message = `the cloud accepted to ${request} but still shows ${from}: look at the ${noun} there; the operator retries when the spec or the cloud changes`;
    return { ...pending, step: stall('NotApplied', message), blockedForMs: intervals.nowAndThenMs };
  }
  const refused = refusedEarlier(situation, change.operation, wanted);
  const step = call(
    { type: 'change', change, from, wanted, request, remedy },
    { reason, message: progress },
  );
  return { ...pending, step, ...refused };
}

interface EarlierChange {
  readonly name: string;
  readonly path: string;
  /** The operations that change this value. */
  readonly operations: readonly CloudChange['operation'][];
  /** The values in the cloud and in the spec as text. The spec may leave the value open. */
  readonly shown: string | undefined;
  readonly wanted: string | undefined;
  readonly reason: ReconcilingReason;
  readonly progress: (from: string, to: string) => string;
}

/**
 * The wait for an accepted change that the spec does not request any more: it has the value before the change again, or a third
 * value. The cloud still shows the value before the change, and may be about to change it. (docs/safety.md, Changing)
 * @returns undefined if no such change is under way, or if the cloud has had its time for it
 */
export function awaitEarlierChange(
  { now, cloud, lastOperation: last }: ChangeSituation,
  { name, path, operations, shown, wanted, reason, progress }: EarlierChange,
): PendingChange | undefined {
  const operation = operations.find((each) => each === last?.operation);
  if (!last || operation === undefined || last.wasBusy === true || last.from === undefined)
    return undefined;
  const isUnseen = shown === last.from && shown !== last.wanted;
  const isInTime = cloud.state === 'present' && cloud.asOf < last.at + effectWithinMs;
  if (!isUnseen || !isInTime || wanted === last.wanted) return undefined;
  const message = `${progress(last.from, last.wanted)}, as the spec said before; then the operator applies the present spec`;
  const afterMs = Math.max(last.at + effectWithinMs - now, intervals.forEffectMs);
  return {
    name: `earlier change of ${name}`,
    path,
    operation,
    step: wait(reason, message, { inProgressSince: last.at, afterMs }),
  };
}

/** Undefined if the change may be requested now. */
export function refusedEarlier(
  { object, now, refusals }: Pick<ChangeSituation, 'object' | 'now' | 'refusals'>,
  operation: string,
  wanted: string,
): Required<Pick<PendingChange, 'step' | 'blockedForMs'>> | undefined {
  const refusal = refusals.get(refusalKey(operation, wanted));
  if (!refusal || refusal.generation !== object.metadata.generation || now >= refusal.again)
    return undefined;
  return {
    step: refusal.step,
    blockedForMs: Math.min(refusal.again - now, intervals.nowAndThenMs),
  };
}

type ChangeSituation = Pick<
  Situation,
  'object' | 'record' | 'now' | 'noun' | 'cloud' | 'lastOperation' | 'refusals'
>;

/**
 * A value that a spec may change: its name, and its words in messages. A kind adds the places of the value
 * in {@link fieldsOf}. `V` is the value as the cloud may show it, `W` the value as a request needs it.
 */
export interface Field<V, W extends V = V> {
  readonly name: string;
  /** Such as `environment`, or `cpuMillis/memoryGbs` for two fields that belong together. */
  readonly path: string;
  readonly reason: ReconcilingReason;
  /** The value to assume if the cloud leaves it out. Without this, no change is made then. */
  readonly unset?: V;
  /** Values with the same text are equal. */
  readonly text: (value: V) => string;
  /** Such as `resize the service to 2000 millicores, 8 GB`, after `the cloud refused to …`. */
  readonly request: (wanted: W) => string;
  /** Such as `resizing from 1000m/4GB to 2000m/8GB`. */
  readonly progress: (from: string, to: string) => string;
}

/**
 * Returns the function that makes a change of a kind from a field, and from the field's places in that kind. The
 * pending change, the drift and the messages follow from them.
 * - `shown`: the value in the resource as status shows it; undefined if the cloud leaves the value out.
 * - `wanted`: the value that the spec requests; undefined if the spec requests none.
 * - `operations`: all operations that `change` may have.
 * - `change`: the call that gives the resource the wanted value.
 * - `remedyPath`: the field to change after a refusal, if it is not the path of the field.
 *
 * @param idsOf the ids for operations; undefined while they are unknown
 */
export function fieldsOf<S extends ChangeSituation & { readonly mirror: object | undefined }, Ids>(
  idsOf: (situation: S) => Ids | undefined,
) {
  type Mirror = NonNullable<S['mirror']>;
  return <V, W extends V, O extends CloudChange['operation']>(
    field: Field<V, W>,
    places: {
      readonly shown: (mirror: Mirror) => V | undefined;
      readonly wanted: (situation: S, shown: V) => W | undefined;
      readonly operations: readonly O[];
      readonly change: (
        ids: Ids,
        wanted: W,
        situation: S,
      ) => CloudChange & { readonly operation: NoInfer<O> };
      readonly remedyPath?: (situation: S) => string;
    },
  ): Change<S, Mirror> => {
    const shownIn = (mirror: Mirror) => places.shown(mirror) ?? field.unset;
    return {
      pending(situation) {
        const ids = idsOf(situation);
        const shown = situation.mirror && shownIn(situation.mirror);
        const wanted = shown === undefined ? undefined : places.wanted(situation, shown);
        if (ids === undefined || shown === undefined) return undefined;
        const { name, path, reason, progress } = field;
        const { operations } = places;
        const from = field.text(shown);
        const to = wanted === undefined ? undefined : field.text(wanted);
        const value = { name, path, reason, progress, operations, shown: from, wanted: to };
        const earlier = awaitEarlierChange(situation, value);
        if (earlier || wanted === undefined || to === undefined || from === to) return earlier;
        return requestOnce(situation, {
          name,
          path,
          reason,
          change: places.change(ids, wanted, situation),
          from,
          wanted: to,
          progress: progress(from, to),
          request: field.request(wanted),
          remedy: remedyAt(places.remedyPath?.(situation) ?? path),
        });
      },
      drift(mirror) {
        const value = shownIn(mirror);
        return [field.path, typeof value === 'object' ? field.text(value) : value];
      },
    };
  };
}

function remedyAt(path: string): string {
  const places = path.split('/').map((place) => `spec.${place.split('.')[0]}`);
  return `change ${places.join(' or ')}`;
}

/** The values whose change in the cloud is drift, by their paths in the spec. */
export function driftFieldsOf<Mirror>(
  changes: readonly Change<never, Mirror>[],
  mirror: Mirror,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(changes.flatMap(({ drift }) => (drift ? [drift(mirror)] : [])));
}

/** Whether both values are present and differ. A number equals its text, since sizes are numbers in some places and texts elsewhere. */
export function differs(asked: unknown, shown: unknown): boolean {
  return asked !== undefined && shown !== undefined && text(asked) !== text(shown);
}

/** A value as text for people. Values with the same text are equal. */
export function text(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
