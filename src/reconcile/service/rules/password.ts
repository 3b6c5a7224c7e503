import { serviceId } from '../../../cloud/wire/ids.ts';
import { connectionAnnotations } from '../../connection/connection-secret.ts';
import { call, wait, write, type Step } from '../../step.ts';
import { refusedEarlier, type Wish, type WishRule } from '../../wish.ts';
import { asFoundOrigin, initialOrigin } from '../../connection/password-origin.ts';
import type { PasswordSight } from '../password-sight.ts';
import type { ServiceSituation } from '../situation.ts';
import { stateOf } from '../state.ts';

/** A call that was not answered may be carried out so much later; until then no other password is sent. (SAFETY, Passwords) */
const unansweredMs = 160_000;
const lookAgainMs = 30_000;

/**
 * The password in the connection Secret is the one that the cloud has. What is pending is finished first, with the same password; one that did not
 * reach the Secret is set anew, where the record says that it is ours to set; then what the spec asks for.
 */
export const password: WishRule<ServiceSituation> = (situation) => {
  const { secret, record, password: wanted } = situation;
  if (stateOf(situation) !== 'READY' || secret.state === 'foreign' || secret.state === 'unread') return undefined;
  if (secret.pending) {
    const origin = secret.pending.metadata.annotations?.[connectionAnnotations.passwordHandled] ?? initialOrigin;
    if (isGivenUp(situation, origin)) return setWanted(situation, wanted, origin);
    const onItsWay = set(situation, origin, undefined, `the new password is on its way into Secret "${secret.name}"`);
    return onItsWay && lookWhenGivenUp(onItsWay, situation);
  }
  const isStored = secret.state === 'ours' && secret.secret.passwordDigest !== undefined;
  if (wanted.state === 'waiting') return wish(wait('WaitingForReference', wanted.message), lookAgainMs);
  if (wanted.state === 'asItIs') {
    if (isStored || record.password !== 'managed') return noteAsFound(situation);
    return set(situation, initialOrigin, undefined, `the password is not in Secret "${secret.name}": setting a new one`);
  }
  if (wanted.state === 'given' && !wanted.isWatched) {
    return wish(write({ type: 'watchPasswordSource', source: wanted.source }, `changes of Secret "${wanted.source.name}" are watched`));
  }
  const handled = secret.state === 'ours' ? secret.secret.metadata.annotations?.[connectionAnnotations.passwordHandled] : undefined;
  if (handled === wanted.origin && (isStored || record.password !== 'managed')) return undefined;
  // A rotation that was there before we knew the Secret is noted: nobody has asked for it just now.
  const isFirstSight = wanted.state === 'rotated' && handled === undefined && (isStored || record.password !== 'managed');
  if (isFirstSight && secret.state !== 'ours') return undefined;
  if (isFirstSight) return wish(write({ type: 'notePassword', origin: wanted.origin }, 'spec.password.rotation is noted'));
  return setWanted(situation, wanted);
};

/** What was taken over without a password, and without a wish for one, is noted: the first wish is one then. */
function noteAsFound({ secret }: ServiceSituation): Wish | undefined {
  if (secret.state !== 'ours' || secret.secret.metadata.annotations?.[connectionAnnotations.passwordHandled] !== undefined)
    return undefined;
  return wish(write({ type: 'notePassword', origin: asFoundOrigin }, 'the password is left as it was found'));
}

/** A refused password is looked at again when it can no longer arrive: another may be asked for. */
function lookWhenGivenUp(refused: Wish, situation: ServiceSituation): Wish {
  const inMs = mayArriveForMs(situation);
  return refused.passForMs === undefined || inMs <= 0 ? refused : { ...refused, passForMs: Math.min(refused.passForMs, inMs) };
}

function setWanted(situation: ServiceSituation, wanted: PasswordSight, givesUp?: string): Wish | undefined {
  if (wanted.state === 'rotated') {
    return set(situation, wanted.origin, undefined, 'setting a new password, as spec.password.rotation asks', givesUp);
  }
  if (wanted.state !== 'given') return undefined;
  return set(situation, wanted.origin, wanted.source, `setting the password of Secret "${wanted.source.name}"`, givesUp);
}

/** How long a password whose send was not answered may still arrive; negative when it cannot any more, or there is none. */
function mayArriveForMs({ passwordUnansweredAt, now }: ServiceSituation): number {
  return (passwordUnansweredAt ?? Number.NEGATIVE_INFINITY) + unansweredMs - now;
}

/** The cloud refuses the password on its way, an earlier send of it can no longer arrive, and by now another is asked for. */
function isGivenUp(situation: ServiceSituation, origin: string): boolean {
  const { password: wanted } = situation;
  const isOther = (wanted.state === 'rotated' || wanted.state === 'given') && wanted.origin !== origin;
  const isRefused = refusedEarlier(situation, 'updateServicePassword', origin) !== undefined;
  return isOther && isRefused && mayArriveForMs(situation) <= 0;
}

function set(
  situation: ServiceSituation,
  origin: string,
  source: Extract<PasswordSight, { state: 'given' }>['source'] | undefined,
  message: string,
  givesUp?: string,
): Wish | undefined {
  const { identity, secret } = situation;
  if (identity.state !== 'known') return undefined;
  const refused = refusedEarlier(situation, 'updateServicePassword', origin);
  if (refused) return { name, ...refused };
  const waitsForMs = mayArriveForMs(situation);
  if (!secret.pending && waitsForMs > 0) {
    const why = 'an earlier password was sent and not answered: another one is sent when the earlier one can no longer arrive';
    return wish(wait('RotatingPassword', why), waitsForMs);
  }
  return wish(
    call(
      { type: 'setPassword', id: serviceId.parse(identity.id), origin, source, ...(givesUp === undefined ? {} : { givesUp }) },
      { reason: 'RotatingPassword', message },
    ),
  );
}

const name = 'password';

/** @param passForMs how long the other changes go first, when this one has to wait */
function wish(step: Step, passForMs?: number): Wish {
  return passForMs === undefined ? { name, step } : { name, step, passForMs };
}
