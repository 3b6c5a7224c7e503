import type { ReconcilingReason } from '../../resources/condition.ts';
import type { Attempt } from '../record/record.ts';
import type { LastOperation } from '../situation/last-operation.ts';
import type { ChangeOperation, CloudChange } from '../step/cloud-change.ts';
import { changeTo, type Asking, type Change } from './pending-change.ts';

/**
 * One value that a spec may change, and all that there is to say of it. What is pending, what counts as drift, what status says while the cloud is at
 * work, what a refusal says, and whether a resource looks like what a create asked for: all of it is derived from here.
 *
 * `Mirror` is what status shows of the resource; `V` the value there, `W` the value that the cloud can be asked for.
 */
export interface Field<S, Mirror, Id, V, W extends V, O extends ChangeOperation> {
  /** As users call it: `size`. */
  readonly name: string;
  /** Where it stands in the spec: `environment`, or `cpuMillis/memoryGbs` for two that go together. */
  readonly path: string;
  readonly reason: ReconcilingReason;
  /** All that change it. */
  readonly operations: readonly O[];
  /** The cloud is at work for a while after it accepted; without this, the new value shows at once. */
  readonly takesTime?: true;
  /** The value that the cloud shows; undefined where it leaves it out. */
  readonly shown: (mirror: Mirror) => V | undefined;
  /** What counts where the cloud leaves it out. Without this nothing is asked for then. */
  readonly unset?: V;
  /** The value that the spec asks for; undefined where it asks for nothing. */
  readonly wanted: (situation: S, shown: V) => W | undefined;
  /** The value for people. Two of the same text are the same value. */
  readonly text: (value: V) => string;
  /** `resize the service to 2000 millicores, 8 GB`, after `the cloud refused to …`. */
  readonly request: (wanted: W) => string;
  /** `resizing from 1000m/4GB to 2000m/8GB`. `from` is undefined while the cloud is at work. */
  readonly progress: (wanted: string, from?: string) => string;
  /** Whether a create that was sent asked for no other value than this; for a value that a create can ask for. */
  readonly isAsRequested?: (request: Attempt['request'], shown: V) => boolean;
  readonly change: (id: Id, wanted: W, situation: S) => Extract<CloudChange, { readonly operation: NoInfer<O> }>;
}

/** What the fields of one kind have in common. */
export interface Subject<S, Mirror, Id> {
  /** What status shows of the resource. */
  readonly mirror: (situation: S) => Mirror;
  /** What the operations call it by; undefined while that is not known. */
  readonly id: (situation: S) => Id | undefined;
}

/** For one kind: what makes a change of the policy out of a declaration. */
export function fieldsOf<S extends Asking, Mirror, Id>(subject: Subject<S, Mirror, Id>) {
  return <V, W extends V, O extends ChangeOperation>(field: Field<S, Mirror, Id, V, W, O>): Change<S, Mirror> => ({
    pending(situation) {
      const id = subject.id(situation);
      const shown = shownIn(field, subject.mirror(situation));
      const wanted = shown === undefined ? undefined : field.wanted(situation, shown);
      if (id === undefined || shown === undefined || wanted === undefined) return undefined;
      const [from, to] = [field.text(shown), field.text(wanted)];
      if (from === to) return undefined;
      return changeTo(situation, {
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
    drift(mirror) {
      const value = shownIn(field, mirror);
      return [field.path, typeof value === 'object' ? field.text(value) : value];
    },
    atWork({ operation, wanted }) {
      const isAtIt = field.takesTime === true && field.operations.some((own) => own === operation);
      return isAtIt ? { reason: field.reason, words: field.progress(wanted) } : undefined;
    },
    isAsRequested(request, mirror) {
      const shown = field.shown(mirror);
      return shown === undefined || (field.isAsRequested?.(request, shown) ?? true);
    },
  });
}

/** `change spec.cpuMillis or spec.memoryGbs`: the fields at the top of the spec. */
function remedyAt(path: string): string {
  const places = path.split('/').map((place) => `spec.${place.split('.')[0]}`);
  return `change ${places.join(' or ')}`;
}

function shownIn<Mirror, V>({ shown, unset }: { readonly shown: (mirror: Mirror) => V | undefined; readonly unset?: V }, mirror: Mirror) {
  return shown(mirror) ?? unset;
}

/** What somebody may have changed elsewhere, by its place in the spec. */
export function driftFieldsOf<Mirror>(changes: readonly Change<never, Mirror>[], mirror: Mirror): Readonly<Record<string, unknown>> {
  return Object.fromEntries(changes.flatMap(({ drift }) => (drift ? [drift(mirror)] : [])));
}

/** What the cloud is at work on, when this object asked for that last. */
export function atWorkOn(changes: readonly Change<never, never>[], last: LastOperation | undefined) {
  return last && changes.map(({ atWork }) => atWork?.(last)).find((work) => work !== undefined);
}

/** Whether a resource looks like what a create asked for, in all that its spec may change. */
export function isAsRequested<Mirror>(changes: readonly Change<never, Mirror>[], request: Attempt['request'], mirror: Mirror): boolean {
  return changes.every((change) => change.isAsRequested?.(request, mirror) ?? true);
}

/** `from 1000m/4GB to 2000m/8GB`, or `to 2000m/8GB`. */
export function fromTo(wanted: string, from: string | undefined): string {
  return from === undefined ? `to ${wanted}` : `from ${from} to ${wanted}`;
}
