import { annotations, cloudResourceFinalizer } from '../../resources/annotations.ts';
import { keyOf } from '../../runtime/kubernetes-object.ts';
import type { Context } from '../context.ts';
import type { ConnectionSecret } from '../connection/connection-secret.ts';
import { connectionAnnotations } from '../connection/connection-secret.ts';
import { readRecord } from '../record.ts';
import type { Account } from '../account.ts';
import type { KindWords, ManagedObject, Situation } from '../situation.ts';
import { claimOf } from './claim.ts';
import { identityOf } from './identity.ts';

/** What all kinds know of an object before they look at the cloud. */
export type ObjectSight = Omit<Situation, 'attempt' | 'cloud' | 'deletion'> & {
  /** Set when the cloud may be asked. */
  readonly usable: Account | undefined;
  /** Lists must have been begun after this policy time; later than 0 when the user asked for a sync now. */
  readonly notBefore: number;
};

export async function observeObject(
  words: KindWords,
  object: ManagedObject,
  secret: ConnectionSecret | undefined,
  context: Context,
): Promise<ObjectSight> {
  const now = context.clock.now();
  const { metadata, spec, status } = object;
  const read = readRecord(metadata.annotations?.[annotations.record]);
  const record = read.state === 'read' ? read.record : {};
  const claim = claimOf(object, record, context.clusterUid, context.policy, context.claims);
  const asks = spec.suspend !== true && claim.state !== 'another';
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
    identity: identityOf(read, object, secretIdentity(secret)),
    claim,
    account,
    usable: account.state === 'usable' && isSameProject(record.projectId, account.account) ? account.account : undefined,
    notBefore: requested !== undefined && requested !== status?.lastHandledReconcileAt ? now : 0,
  };
}

function isSameProject(recorded: string | undefined, account: Account): boolean {
  return recorded === undefined || recorded === account.projectId;
}

function secretIdentity(secret: ConnectionSecret | undefined) {
  if (!secret) return undefined;
  const texts = secret.metadata.annotations;
  return { id: texts?.[connectionAnnotations.id], projectId: texts?.[connectionAnnotations.projectId] };
}
