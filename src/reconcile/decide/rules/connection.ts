import { connectionIsCurrent } from '../../connection/connection-is-current.ts';
import { connectionWrite, wantedSecret, type Connected } from '../../connection/connection-write.ts';
import { holdingFinalizers } from '../../connection/ownership.ts';
import { isBackupCopy } from '../../connection/pending-password.ts';
import { whileHeld } from '../../connection/secret-in-the-way.ts';
import type { ResourceRecord } from '../../record/record.ts';
import type { ConnectionSecret } from '../../situation/observed-secret.ts';
import { isObserved } from '../../situation/options.ts';
import type { Existing, Missing, Proven, Rule } from '../rule.ts';
import { conflictAt } from '../../step/kubernetes-trouble.ts';
import { write, type Step } from '../../step/step.ts';

/** Wraps a rule for kinds with a connection Secret. */
function ofConnected(rule: Rule<Existing & Connected>): Rule<Existing> {
  return (situation) => (isConnected(situation) ? rule(situation) : undefined);
}

function isConnected(situation: Existing): situation is Existing & Connected {
  return situation.secret !== undefined;
}

/** A foreign Secret is never overwritten. Without a place for its password, nothing is created or adopted. */
export const secretConflict: Rule<Missing> = ({ secret, object, options }) =>
  secret?.state === 'unusable' && !isObserved(object, options) ? secret.why : undefined;

/** Nothing is created before the name of its Secret is proven. A Secret that is being deleted, and that nobody holds, is gone in a moment. */
export function onceProven<S extends Missing>(create: Rule<Proven<S>>): Rule<S> {
  const isProven = (situation: S): situation is Proven<S> => ['absent', 'ours', undefined].includes(situation.secret?.state);
  return (situation) =>
    isProven(situation) ? create(situation) : conflictAt(`Secret "${situation.secret?.name}" is not known to be there or not`);
}

/**
 * A deleted connection Secret is recreated from its own data before any other work, since it needs no call to the cloud. A copy that another process left for
 * that is restored the same way. What waits in its place for a resource that was replaced makes room; who only looks leaves it there.
 */
export const remakeConnection: Rule<Existing> = ofConnected((situation) => {
  const { secret, object, options } = situation;
  if (secret.state !== 'ours' && secret.state !== 'absent') return undefined;
  const deleted = secret.state === 'ours' && secret.secret.metadata.deletionTimestamp !== undefined;
  const left = secret.pending && isBackupCopy(secret.pending) ? secret.pending : undefined;
  const outdated = isObserved(object, options) ? undefined : secret.outdated;
  if (!deleted && !left && !outdated) return undefined;
  if (secret.state === 'ours' && holdingFinalizers(secret.secret).length > 0) return undefined;
  const message =
    deleted || left
      ? `Secret "${secret.name}" was deleted: it is made again with the same password`
      : `Secret "${outdated?.metadata.name}" is needed no more`;
  return write({ type: 'remakeConnection', secret: wantedSecret(situation) }, message);
});

/** While somebody else holds the deleted Secret, its name is taken. Other work comes first, and then this is reported. */
export const awaitPlace: Rule<Existing> = ({ secret }) => (secret?.state === 'ours' ? whileHeld(secret.secret) : undefined);

/**
 * The record names the connection Secret before it is created, since removal and move rely on the record. An observed resource had no Secret. If no Secret
 * was created under the recorded name, perhaps because Kubernetes refuses it, the spec may name another. Where the recorded one is gone, and another of the
 * resource is there, that one is the connection Secret.
 */
export const nameConnection: Rule<Existing> = ({ record, secret, nextSecret }) => {
  const isNothingMade = secret?.state === 'absent' && nextSecret !== undefined;
  const isAnother = secret?.state === 'ours' && secret.name !== record.secretName;
  const named = record.secretName === undefined || isAnother ? secret : isNothingMade ? nextSecret : undefined;
  if (!named || named.state === 'unusable') return undefined;
  return write({ type: 'writeRecord', record: withName(record, named.name) }, `Secret "${named.name}" will have the connection`);
};

/** The record with this name for the connection Secret: a Secret of that name is not one of an earlier or a later move, which would be dropped. */
function withName({ previousSecretName, nextSecretName, ...record }: ResourceRecord, secretName: string): ResourceRecord {
  return {
    ...record,
    secretName,
    ...(previousSecretName === secretName ? {} : { previousSecretName }),
    ...(nextSecretName === secretName ? {} : { nextSecretName }),
  };
}

/** Removes the Secret of a move that is over. */
function dropLeftover(situation: Existing & Connected): Step | undefined {
  const { nextSecret, record } = situation;
  const { previousSecretName, nextSecretName, ...rest } = record;
  const leftover = previousSecretName ?? (nextSecretName === nextSecret?.name ? undefined : nextSecretName);
  if (leftover === undefined) return undefined;
  const drop = { type: 'dropConnection', name: leftover, secret: wantedSecret(situation), record: rest } as const;
  return write(drop, `Secret "${leftover}" is replaced`);
}

/**
 * Moves the connection to another `connectionSecret.name`: the new Secret is complete before the old one is removed. What a move
 * made that the spec has ended is removed first. If a foreign Secret has taken the old name, another name helps: that Secret gets a new password, provided
 * the operator manages the password. A pending password is found under any name.
 */
export const moveConnection: Rule<Existing> = ofConnected((situation) => {
  const { secret, nextSecret, record } = situation;
  const drop = dropLeftover(situation);
  if (drop) return drop;
  if (nextSecret?.state === 'unusable') return nextSecret.why;
  if (secret.state === 'unusable') {
    return nextSecret
      ? write({ type: 'writeRecord', record: withName(record, nextSecret.name) }, `Secret "${nextSecret.name}" will have the connection`)
      : secret.why;
  }
  if (!nextSecret || secret.state !== 'ours' || secret.secret.metadata.deletionTimestamp) return undefined;
  const moved = { ...withName(record, nextSecret.name), previousSecretName: secret.name };
  const action = { type: 'moveConnection', to: nextSecret.name, record: moved, ...connectionWrite(situation) } as const;
  return write(action, `Secret "${secret.name}" becomes "${nextSecret.name}"`);
});

/**
 * The connection Secret exists, with the present data and for the present object.
 * @param hasPassword whether its password, too, is as the kind wants it
 */
export function keepConnection<S extends Existing & Connected>(hasPassword: (secret: ConnectionSecret, situation: S) => boolean): Rule<S> {
  return (situation) => {
    const { secret, connection, id, object, clusterUid } = situation;
    if (secret.state === 'unusable' || secret.state === 'unread') return undefined;
    const store = (why: string) => write({ type: 'storeConnection', ...connectionWrite(situation) }, `Secret "${secret.name}" ${why}`);
    if (secret.state === 'absent') return store('is missing');
    const isCurrent = connectionIsCurrent(secret.secret, connection, id, clusterUid, object.spec.connectionSecret);
    return isCurrent && hasPassword(secret.secret, situation) ? undefined : store('is brought up to date');
  };
}
