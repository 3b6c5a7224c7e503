import type { Account } from '../credentials/account.ts';
import type { Situation } from '../situation/situation.ts';

/**
 * The remaining work for an object, once its ownership is certain and no create is open. Chosen once, so that the rules of a phase need not ask.
 *
 * - `deleting`: the object is being deleted, and the resource with this id must be deleted before
 * - `missing`: the resource was not created, is lost, or cannot be read
 * - `existing`: the cloud shows the resource
 */
export type Phase<Resource = unknown, S = Situation<Resource>> = Deleting<S> | Missing<S> | Existing<Resource, S>;

export type Deleting<S = Situation> = S & InPhase<'deleting'> & { readonly id: string };

export type Missing<S = Situation> = S &
  InPhase<'missing'> & {
    /** The id of a resource that is not seen; undefined if none was created. */
    readonly id: string | undefined;
  };

export type Existing<Resource = unknown, S = Situation<Resource>> = S &
  InPhase<'existing'> & {
    readonly id: string;
    readonly resource: Resource;
    /** Policy time of the observation. */
    readonly asOf: number;
  };

interface InPhase<Name> {
  readonly phase: Name;
  /** The account, whose key is proven. */
  readonly key: Account;
}

/** The phase of an object. Undefined if its key is not proven, if its id is disputed, or if it is being deleted and has no resource. */
export function phaseOf<Resource, S>(situation: Situation<Resource> & S): Phase<Resource, S> | undefined {
  const { account, identity, cloud, deletion } = situation;
  if (account.state !== 'usable' || identity.state === 'conflict') return undefined;
  const key = account.account;
  const id = identity.state === 'known' ? identity.id : undefined;
  if (deletion.requested) return id === undefined ? undefined : { ...situation, phase: 'deleting', key, id };
  if (id === undefined || cloud.state !== 'present') return { ...situation, phase: 'missing', key, id };
  return { ...situation, phase: 'existing', key, id, resource: cloud.resource, asOf: cloud.asOf };
}
