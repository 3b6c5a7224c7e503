import type { UsableKey } from '../credentials/key-state.ts';
import type { Situation } from '../situation/situation.ts';
import type { Step } from '../step/step.ts';

/** A rule of the policy: its step, or undefined if it does not apply. Pure: no I/O, no clock, no logger. */
export type Rule<S> = (situation: S) => Step | undefined;

/**
 * The remaining work for an object, once its ownership is certain and no create is open.
 *
 * - `deleting`: the object is being deleted, and the resource with this id must be deleted before
 * - `missing`: the resource was not created, is lost, or cannot be read
 * - `existing`: the cloud shows the resource
 */
export type Phase<Resource = unknown, S = Situation<Resource>> =
  | Deleting<S>
  | Missing<S>
  | Existing<Resource, S>;

/** A situation in which the resource with this id must be deleted before the object. */
export type Deleting<S = Situation> = S & InPhase<'deleting'> & { readonly id: string };

/** A situation without a resource in the cloud. */
export type Missing<S = Situation> = S &
  InPhase<'missing'> & {
    /** Undefined if none was created. */
    readonly id: string | undefined;
  };

/**
 * A situation with a resource that the cloud shows. `asOf` is the policy time of the observation.
 */
export type Existing<Resource = unknown, S = Situation<Resource>> = S &
  InPhase<'existing'> & {
    readonly id: string;
    readonly resource: Resource;
    readonly asOf: number;
  };

interface InPhase<Name> {
  readonly phase: Name;
  readonly key: UsableKey;
}
