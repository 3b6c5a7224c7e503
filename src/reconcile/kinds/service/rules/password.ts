import { serviceId } from '../../../../cloud/wire/service.ts';
import { connectionAnnotations } from '../../../../resources/connection-secret.ts';
import { asFoundOrigin, editOrigin, initialOrigin, isEdit, type PasswordSource } from '../../../step/password-origin.ts';
import { connectionWrite, wantedSecret } from '../../../connection/connection-write.ts';
import { isBackupCopy } from '../../../connection/pending-password.ts';
import { longestPassword, shortestPassword } from '../../../connection/secret-contents.ts';
import type { Action } from '../../../step/action.ts';
import type { PasswordLength } from '../../../situation/observed-secret.ts';
import type { PendingChange } from '../../../situation/situation.ts';
import { call, stall, wait, write, type Step } from '../../../step/step.ts';
import { refusedEarlier, type Change } from '../../../decide/pending-change.ts';
import { keepConnection } from '../../../decide/rules/connection.ts';
import type { ExistingService, ShownService } from '../situation.ts';
import { intervals } from '../../../step/intervals.ts';

/** Milliseconds in which a call without an answer may still be carried out. No different password is sent before. (docs/safety.md, Passwords) */
const unansweredMs = 160_000;

/** A password to set: its origin, and the message for the user. */
interface Asked {
  readonly origin: string;
  readonly source: PasswordSource | 'edited' | undefined;
  readonly message: string;
  /** Why it is not sent, for the user. */
  readonly unfit?: string | undefined;
}

/**
 * Keeps the password in the connection Secret equal to that in the cloud. A pending password is completed first. Then come the requests of the spec, a
 * password that the Secret lost although the operator manages it, and a password that somebody wrote into the Secret.
 */
export const password: Change<ShownService> = {
  pending(situation) {
    const change = nextPassword(situation);
    if (situation.state === 'READY' || !change) return change;
    // No other state takes a password. An origin is only noted, so nobody waits for that.
    return isNote(change) ? undefined : { ...change, isPostponed: true };
  },
};

function nextPassword(situation: ShownService): PendingChange | undefined {
  const { secret, password: wanted } = situation;
  if (secret.state === 'unusable' || secret.state === 'unread') return undefined;
  // A copy of a deleted Secret, which is restored first, and never sent.
  if (secret.pending && isBackupCopy(secret.pending)) return undefined;
  if (secret.pending) {
    const origin = secret.pending.metadata.annotations?.[connectionAnnotations.passwordHandled] ?? initialOrigin;
    const next = askedBySpec(situation, origin) ?? (isEdit(origin) ? edited(situation) : undefined);
    if (next && isGivenUp(situation, origin, next)) return set(situation, next, origin);
    const message = `the new password is on its way into Secret "${secret.name}"`;
    return lookWhenGivenUp(set(situation, { origin, source: undefined, message }), situation);
  }
  const next = askedBySpec(situation, handledIn(situation)) ?? edited(situation);
  if (next) return watched(situation, next) ?? set(situation, next);
  if (wanted.state === 'waiting') return pending(wait('WaitingForReference', wanted.message), intervals.forReferenceMs);
  return wanted.state === 'refused' ? pending(stall('Rejected', wanted.message), intervals.forReferenceMs) : noted(situation);
}

function isNote({ step }: PendingChange): boolean {
  return step.type === 'write' && step.action.type === 'notePassword';
}

/**
 * The password that the spec asks for, or a new one if the Secret lost it.
 * @param handled the origin of the password that was set, or is pending
 */
function askedBySpec(situation: ShownService, handled: string | undefined): Asked | undefined {
  const { secret, password: wanted } = situation;
  const isMissing = isLost(situation);
  switch (wanted.state) {
    case 'waiting':
    case 'refused':
      return undefined;
    case 'asItIs':
      if (!isMissing) return undefined;
      return { origin: initialOrigin, source: undefined, message: `the password is not in Secret "${secret.name}": setting a new one` };
    case 'rotated':
      // A rotation text from before the operator knew the Secret is only noted, since it is not a new request.
      if (!isMissing && (handled === undefined || handled === wanted.origin)) return undefined;
      return { origin: wanted.origin, source: undefined, message: 'setting a new password, as spec.password.rotation asks' };
    case 'given': {
      if (!isMissing && handled === wanted.origin) return undefined;
      const description = `the password of Secret "${wanted.source.name}"`;
      return {
        origin: wanted.origin,
        source: wanted.source,
        message: `setting ${description}`,
        unfit: unfit(description, wanted.length),
      };
    }
  }
}

/** A password that somebody wrote into the connection Secret. */
function edited({ secret }: ShownService): Asked | undefined {
  if (secret.state !== 'ours' || secret.secret.password !== 'edited') return undefined;
  const description = `the password that was written into Secret "${secret.name}"`;
  return {
    origin: editOrigin(secret.secret.metadata),
    source: 'edited',
    message: `setting ${description}`,
    unfit: unfit(description, secret.secret.length),
  };
}

/** Why a password that somebody chose is not sent, by its length. */
function unfit(description: string, length: PasswordLength): string | undefined {
  if (length === 'fits') return undefined;
  const [limit, other] = length === 'tooShort' ? [`fewer than ${shortestPassword}`, 'longer'] : [`more than ${longestPassword}`, 'shorter'];
  return `${description} is not sent: it has ${limit} characters; put a ${other} one there, or set spec.password.rotation to have one made`;
}

/** Without a request, or with one from before the operator knew the Secret, the origin is only noted. The next request then counts as the first. */
function noted(situation: ShownService): PendingChange | undefined {
  const { secret, password: wanted } = situation;
  if (secret.state !== 'ours' || handledIn(situation) !== undefined) return undefined;
  const origin = wanted.state === 'rotated' ? wanted.origin : asFoundOrigin;
  const message = wanted.state === 'rotated' ? 'spec.password.rotation is noted' : 'the password is left as it was found';
  return pending(write({ type: 'notePassword', origin, ...connectionWrite(situation) }, message));
}

/** Has the user's Secret watched, so that its changes wake this object. */
function watched({ password: wanted }: ShownService, { origin }: Asked): PendingChange | undefined {
  if (wanted.state !== 'given' || wanted.isWatched || wanted.origin !== origin) return undefined;
  return pending(write({ type: 'watchPasswordSource', source: wanted.source }, `changes of Secret "${wanted.source.name}" are watched`));
}

/** Whether the Secret has no password although the operator manages it. */
function isLost({ secret, record }: ShownService): boolean {
  const isStored = secret.state === 'ours' && secret.secret.password !== 'none';
  return !isStored && record.password === 'managed';
}

function handledIn({ secret }: ShownService): string | undefined {
  return secret.state === 'ours' ? secret.secret.metadata.annotations?.[connectionAnnotations.passwordHandled] : undefined;
}

/** A refused password is retried when it can no longer arrive: then another may be requested. */
function lookWhenGivenUp(refused: PendingChange, situation: ShownService): PendingChange {
  const inMs = mayArriveForMs(situation);
  return refused.blockedForMs === undefined || inMs <= 0 ? refused : { ...refused, blockedForMs: Math.min(refused.blockedForMs, inMs) };
}

/** Milliseconds in which a password without an answer may still arrive; negative if it cannot any more, or if there is none. */
function mayArriveForMs({ passwordUnansweredAt, now }: ShownService): number {
  return (passwordUnansweredAt ?? Number.NEGATIVE_INFINITY) + unansweredMs - now;
}

/** Whether the pending password can be replaced: the cloud refuses it, an earlier send can no longer arrive, and another one is requested. */
function isGivenUp(situation: ShownService, origin: string, next: Asked): boolean {
  const isRefused = refusedEarlier(situation, 'updateServicePassword', origin) !== undefined;
  return next.origin !== origin && next.origin !== initialOrigin && isRefused && mayArriveForMs(situation) <= 0;
}

/** @param givesUp the origin of the pending password that this one replaces */
function set(situation: ShownService, { origin, source, message, unfit: whyNot }: Asked, givesUp?: string): PendingChange {
  const { id, secret, connection, record } = situation;
  if (whyNot !== undefined) return pending(stall('Rejected', whyNot), intervals.nowAndThenMs);
  if (secret.pendingBlocked) return pending(secret.pendingBlocked, secret.pendingBlocked.retryAfterMs);
  const refused = refusedEarlier(situation, 'updateServicePassword', origin);
  if (refused) return { name, ...refused };
  const waitsForMs = mayArriveForMs(situation);
  if (!secret.pending && waitsForMs > 0) {
    const why = 'an earlier password was sent and not answered: another one is sent when the earlier one can no longer arrive';
    return pending(wait('RotatingPassword', why), waitsForMs);
  }
  const action: Action = {
    type: 'setPassword',
    id: serviceId.parse(id),
    origin,
    source,
    ...(givesUp === undefined ? {} : { givesUp }),
    secret: wantedSecret(situation),
    connection,
    record: record.password === 'managed' ? undefined : { ...record, password: 'managed' },
  };
  return pending(call(action, { reason: 'RotatingPassword', message }));
}

const name = 'password';

/** @param blockedForMs how long other changes go first, if this one must wait */
function pending(step: Step, blockedForMs?: number): PendingChange {
  return blockedForMs === undefined ? { name, step } : { name, step, blockedForMs };
}

/** The connection Secret is up to date, with a digest of its password: without one, an edit of the password would not be noticed. */
export const connectionSecret = keepConnection<ExistingService>(({ password: state }) => state !== 'unmarked');
