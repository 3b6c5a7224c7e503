import { serviceId } from '../../../cloud/wire/ids.ts';
import { connectionAnnotations } from '../../connection/connection-secret.ts';
import type { Rule } from '../../rule.ts';
import { call, wait, write, type Step } from '../../step.ts';
import { initialOrigin } from '../../connection/password-origin.ts';
import type { PasswordSight } from '../password-sight.ts';
import type { ServiceSituation } from '../situation.ts';
import { stateOf } from '../state.ts';

/** A call that was not answered may be carried out so much later; until then no other password is sent. (SAFETY, Changing) */
const unansweredMs = 160_000;
const lookAgainMs = 30_000;

/**
 * The password in the connection Secret is the one that the cloud has. What is pending is finished first, with the same password; one that did not
 * reach the Secret is set anew, where the record says that it is ours to set; then what the spec asks for.
 */
export const password: Rule<ServiceSituation> = (situation) => {
  const { secret, record, password: wanted } = situation;
  if (stateOf(situation) !== 'READY' || secret.state === 'foreign' || secret.state === 'unread') return undefined;
  if (secret.pending) {
    const origin = secret.pending.metadata.annotations?.[connectionAnnotations.passwordHandled] ?? initialOrigin;
    return set(situation, origin, undefined, `the new password is on its way into Secret "${secret.name}"`);
  }
  const isStored = secret.state === 'ours' && secret.secret.passwordDigest !== undefined;
  if (wanted.state === 'waiting') return wait('WaitingForReference', wanted.message, { afterMs: lookAgainMs });
  if (wanted.state === 'asItIs') {
    if (isStored || record.password !== 'managed') return undefined;
    return set(situation, initialOrigin, undefined, `the password is not in Secret "${secret.name}": setting a new one`);
  }
  if (wanted.state === 'given' && !wanted.isWatched) {
    return write({ type: 'watchPasswordSource', source: wanted.source }, `changes of Secret "${wanted.source.name}" are watched`);
  }
  const handled = secret.state === 'ours' ? secret.secret.metadata.annotations?.[connectionAnnotations.passwordHandled] : undefined;
  if (handled === wanted.origin && (isStored || record.password !== 'managed')) return undefined;
  // A rotation that was there before we knew the Secret is noted: nobody has asked for it just now.
  const isFirstSight = wanted.state === 'rotated' && handled === undefined && (isStored || record.password !== 'managed');
  if (isFirstSight && secret.state !== 'ours') return undefined;
  if (isFirstSight) return write({ type: 'notePassword', origin: wanted.origin }, 'spec.password.rotation is noted');
  return setWanted(situation, wanted);
};

function setWanted(situation: ServiceSituation, wanted: Extract<PasswordSight, { state: 'rotated' | 'given' }>): Step | undefined {
  return wanted.state === 'rotated'
    ? set(situation, wanted.origin, undefined, 'setting a new password, as spec.password.rotation asks')
    : set(situation, wanted.origin, wanted.source, `setting the password of Secret "${wanted.source.name}"`);
}

function set(
  situation: ServiceSituation,
  origin: string,
  source: Extract<PasswordSight, { state: 'given' }>['source'] | undefined,
  message: string,
): Step | undefined {
  const { identity, passwordUnansweredAt, now, secret, refusals, object } = situation;
  if (identity.state !== 'known') return undefined;
  const refusal = refusals.get('updateServicePassword');
  if (refusal?.wanted === origin && refusal.generation === object.metadata.generation && now < refusal.again) return refusal.step;
  const waitsUntil = (passwordUnansweredAt ?? Number.NEGATIVE_INFINITY) + unansweredMs;
  if (!secret.pending && now < waitsUntil) {
    return wait(
      'RotatingPassword',
      'an earlier password was sent and not answered: another one is sent when the earlier one can no longer arrive',
      {
        afterMs: waitsUntil - now,
      },
    );
  }
  return call({ type: 'setPassword', id: serviceId.parse(identity.id), origin, source }, { reason: 'RotatingPassword', message });
}
