import type { ReconcilingReason } from '../../resources/condition.ts';
import type { LastOperation } from '../situation/last-operation.ts';
import type { ChangeOperation, CloudChange } from '../step/action.ts';
import { requestOnce, type ChangeSituation, type Change, type DriftSource } from './pending-change.ts';

/**
 * The declaration of a value that a spec may change; pending changes, drift and messages are derived from it.
 * `Mirror` is the resource in status, `V` a value there, `W` a value that the cloud accepts.
 */
export interface Field<S, Mirror, Id, V, W extends V, O extends ChangeOperation> {
  /** The name for users, such as `size`. */
  readonly name: string;
  /** Such as `environment`, or `cpuMillis/memoryGbs` for two fields that belong together. */
  readonly path: string;
  readonly reason: ReconcilingReason;
  readonly operations: readonly O[];
  /** Whether the cloud works for a while after it has accepted the change. Otherwise the new value shows at once. */
  readonly takesTime?: true;
  /** Undefined if the cloud leaves the value out. */
  readonly shown: (mirror: Mirror) => V | undefined;
  /**
   * The value to assume if the cloud leaves it out. Without this, no change is made then: a status without the
   * value may be of an earlier version.
   */
  readonly unset?: V;
  /** The value that the spec requests, if any. */
  readonly wanted: (situation: S, shown: V) => W | undefined;
  /** Values with the same text are equal. */
  readonly text: (value: V) => string;
  /** Such as `resize the service to 2000 millicores, 8 GB`, after `the cloud refused to …`. */
  readonly request: (wanted: W) => string;
  /** Such as `resizing from 1000m/4GB to 2000m/8GB`. `from` is undefined while the cloud is working. */
  readonly progress: (wanted: string, from?: string) => string;
  readonly change: (id: Id, wanted: W, situation: S) => Extract<CloudChange, { readonly operation: NoInfer<O> }>;
}

export interface Subject<S, Mirror, Id> {
  readonly mirror: (situation: S) => Mirror;
  /** The ids for operations; undefined while they are unknown. */
  readonly id: (situation: S) => Id | undefined;
}

/** Turns the declarations of a kind into changes of the policy. */
export function fieldsOf<S extends ChangeSituation, Mirror, Id>(subject: Subject<S, Mirror, Id>) {
  return <V, W extends V, O extends ChangeOperation>(field: Field<S, Mirror, Id, V, W, O>): Change<S, Mirror> => ({
    pending(situation) {
      const id = subject.id(situation);
      const shown = shownIn(field, subject.mirror(situation));
      const wanted = shown === undefined ? undefined : field.wanted(situation, shown);
      if (id === undefined || shown === undefined || wanted === undefined) return undefined;
      const [from, to] = [field.text(shown), field.text(wanted)];
      if (from === to) return undefined;
      return requestOnce(situation, {
        name: field.name,
        path: field.path,
        change: field.change(id, wanted, situation),
        from,
        wanted: to,
        reason: field.reason,
        progress: field.progress(to, from),
        request: field.request(wanted),
        remedy: remedyAt(field.path),
      });
    },
    drift(mirror, source) {
      const value = source === 'status' ? field.shown(mirror) : shownIn(field, mirror);
      return [field.path, typeof value === 'object' ? field.text(value) : value];
    },
    progressAfter({ operation, wanted }) {
      const isAtIt = field.takesTime === true && field.operations.some((own) => own === operation);
      return isAtIt ? { reason: field.reason, message: field.progress(wanted) } : undefined;
    },
  });
}

function remedyAt(path: string): string {
  const places = path.split('/').map((place) => `spec.${place.split('.')[0]}`);
  return `change ${places.join(' or ')}`;
}

function shownIn<Mirror, V>({ shown, unset }: { readonly shown: (mirror: Mirror) => V | undefined; readonly unset?: V }, mirror: Mirror) {
  return shown(mirror) ?? unset;
}

/**
 * The values whose change in the cloud is drift, by their path in the spec. A value that is missing from a
 * stored status is undefined.
 */
export function driftFieldsOf<Mirror>(
  changes: readonly Change<never, Mirror>[],
  mirror: Mirror,
  source: DriftSource,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(changes.flatMap(({ drift }) => (drift ? [drift(mirror, source)] : [])));
}

export function progressOf(changes: readonly Change<never, never>[], last: LastOperation | undefined) {
  return last && changes.map(({ progressAfter }) => progressAfter?.(last)).find((work) => work !== undefined);
}

/** Such as `from 1000m/4GB to 2000m/8GB`, or `to 2000m/8GB`. */
export function fromTo(wanted: string, from: string | undefined): string {
  return from === undefined ? `to ${wanted}` : `from ${from} to ${wanted}`;
}

/** Whether both values are present and differ. A number equals its text, since sizes are numbers in some places and texts elsewhere. */
export function differs(asked: unknown, shown: unknown): boolean {
  return asked !== undefined && shown !== undefined && text(asked) !== text(shown);
}

export function text(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
