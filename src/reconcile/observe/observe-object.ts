import { annotations, cloudResourceFinalizer } from '../../resources/annotations.ts';
import { keyOf } from '../../runtime/kubernetes-object.ts';
import type { Context } from '../context.ts';
import type { ConnectionSecret } from '../connection/connection-secret.ts';
import { connectionAnnotations } from '../connection/connection-secret.ts';
import { cachedSecret } from '../connection/observe-secret.ts';
import { readRecord } from '../record.ts';
import type { Account } from '../account.ts';
import type { KindWords, ManagedObject, Situation } from '../situation.ts';
import { claimOf } from './claim.ts';
import { identityOf, type SecretWord } from './identity.ts';

/** What all kinds know of an object before they look at the cloud. */
export type ObjectSight = Omit<Situation, 'attempt' | 'cloud' | 'replaced' | 'deletion'> & {
  /** Set when the cloud may be asked. */
  readonly usable: Account | undefined;
  /** Lists must have been begun after this policy time; later than 0 when the user asked for a sync now. */
  readonly notBefore: number;
};

/** @param wantedSecret the connection Secret that the spec asks for; undefined for a kind without one */
export async function observeObject(
  words: KindWords,
  object: ManagedObject,
  wantedSecret: string | undefined,
  context: Context,
): Promise<ObjectSight> {
  const now = context.clock.now();
  const { metadata, spec, status } = object;
  const read = readRecord(metadata.annotations?.[annotations.record]);
  const record = read.state === 'read' ? read.record : {};
  // What was only observed has no Secret, whatever there is under that name.
  const secretName = record.secretName ?? (record.id === undefined ? wantedSecret : undefined);
  const word = secretName === undefined ? undefined : secretWord(cachedSecret(object, secretName, context));
  const identity = identityOf(read, object, word);
  const claim = claimOf(object, { identity, record, secret: word }, context.clusterUid, context.policy, context.claims);
  // Suspended, an object is still reported on, as far as it has something to be reported on.
  const asks = (spec.suspend !== true || identity.state === 'known') && claim.state !== 'another';
  const account = asks ? await context.accounts.of(object) : ({ state: 'notAsked' } as const);
  const requested = metadata.annotations?.[annotations.requestedAt];
  return {
    words,
    object,
    now,
    policy: context.policy,
    clusterUid: context.clusterUid,
    refusals: context.memory.of(object.kind, keyOf(object)).refusals,
    record,
    hasRecord: read.state !== 'none',
    hasFinalizer: metadata.finalizers?.includes(cloudResourceFinalizer) ?? false,
    identity,
    claim,
    account,
    usable: account.state === 'usable' && isSameProject(record.projectId, account.account) ? account.account : undefined,
    notBefore: requested !== undefined && requested !== status?.lastHandledReconcileAt ? now : 0,
  };
}

function isSameProject(recorded: string | undefined, account: Account): boolean {
  return recorded === undefined || recorded === account.projectId;
}

function secretWord(secret: ConnectionSecret | undefined): SecretWord | undefined {
  if (!secret) return undefined;
  const { id, projectId, clusterUid } = connectionAnnotations;
  const texts = secret.metadata.annotations ?? {};
  return { id: texts[id], projectId: texts[projectId], clusterUid: texts[clusterUid] };
}

/** The same object, as it stood before its recreation was begun; undefined when none is open. */
export function beforeRecreation(sight: ObjectSight): ObjectSight | undefined {
  const { replaces: id, projectId } = sight.record;
  if (id === undefined || sight.identity.state !== 'none') return undefined;
  return { ...sight, identity: { state: 'known', id, projectId, by: 'record' } };
}
