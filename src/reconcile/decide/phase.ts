import type { Account } from '../credentials/account.ts';
import type { Situation } from '../situation/situation.ts';

/**
 * What is left to be done for an object, once it is certain whose the resource is and no create is open. Chosen once: rules of a phase ask no more.
 *
 * - `deleting`: the object goes, and the resource of this id goes before it
 * - `missing`: there is none yet, it is lost, or nobody can tell whether it is there
 * - `existing`: the cloud shows it
 */
export type Phase<Resource = unknown, S = Situation<Resource>> = Deleting<S> | Missing<S> | Existing<Resource, S>;

export type Deleting<S = Situation> = S & InPhase<'deleting'> & { readonly id: string };

export type Missing<S = Situation> = S &
  InPhase<'missing'> & {
    /** The id of the resource that is not seen; undefined where none was made. */
    readonly id: string | undefined;
  };

export type Existing<Resource = unknown, S = Situation<Resource>> = S &
  InPhase<'existing'> & {
    readonly id: string;
    readonly resource: Resource;
    /** Policy time of the look. */
    readonly asOf: number;
  };

interface InPhase<Name> {
  readonly phase: Name;
  /** The key, which was proven. */
  readonly key: Account;
}

/** The phase of an object. Undefined while it has none: its key is not proven, its id is disputed, or it goes and nothing was made. */
export function phaseOf<Resource, S>(situation: Situation<Resource> & S): Phase<Resource, S> | undefined {
  const { account, identity, cloud, deletion } = situation;
  if (account.state !== 'usable' || identity.state === 'conflict') return undefined;
  const key = account.account;
  const id = identity.state === 'known' ? identity.id : undefined;
  if (deletion.requested) return id === undefined ? undefined : { ...situation, phase: 'deleting', key, id };
  if (id === undefined || cloud.state !== 'present') return { ...situation, phase: 'missing', key, id };
  return { ...situation, phase: 'existing', key, id, resource: cloud.resource, asOf: cloud.asOf };
}
