import { serviceId } from '../../../../cloud/wire/service.ts';
import type { EntryContent } from '../../../../resources/ledger-entry.ts';
import { refusedEarlier, type Change } from '../../../decide/pending-change.ts';
import type { PendingChange } from '../../../situation/situation.ts';
import { intervals } from '../../../step/intervals.ts';
import { call, stall, wait, write, type Step } from '../../../step/step.ts';
import { initialOrigin, unansweredMs, type PasswordSource } from '../../../step/connection.ts';
import type { ShownService } from '../situation.ts';

interface Wish {
  readonly origin: string;
  readonly source: PasswordSource | undefined;
  readonly message: string;
  readonly unfit?: string | undefined;
}

/**
 * Keeps the password in the ledger equal to that in the cloud: first a password in flight, then the requests of
 * the spec, then a lost password that the operator chose.
 */
export const password: Change<ShownService> = {
  pending(situation) {
    const change = nextPassword(situation);
    // No other state takes a password.
    return situation.state === 'READY' || !change ? change : { ...change, isPostponed: true };
  },
};

function nextPassword(situation: ShownService): PendingChange | undefined {
  const { entry, id, secret, password: wanted } = situation;
  const content = entry?.content;
  if (content?.id !== id || secret.state === 'unread') return undefined;
  const { next } = content;
  const wish = wishOf(situation, content);
  if (next) {
    const isOther =
      wish !== undefined && wish.origin !== next.from && wish.origin !== initialOrigin;
    const isGivenUp =
      isOther && refusedEarlier(situation, 'updateServicePassword', next.from) !== undefined;
    if (isGivenUp && mayArriveForMs(situation) <= 0) return set(situation, wish, true);
    const completed = set(situation, {
      origin: next.from,
      source: undefined,
      message: 'completing a password change',
    });
    // A refused password is retried when it can no longer arrive: then another password may be requested.
    const inMs = mayArriveForMs(situation);
    const { blockedForMs } = completed;
    return blockedForMs === undefined || inMs <= 0
      ? completed
      : { ...completed, blockedForMs: Math.min(blockedForMs, inMs) };
  }
  if (wish) return watched(situation, wish) ?? set(situation, wish);
  if (wanted.state === 'waiting')
    return pending(wait('WaitingForReference', wanted.message), intervals.forReferenceMs);
  return wanted.state === 'refused'
    ? pending(stall('Rejected', wanted.message), intervals.forReferenceMs)
    : undefined;
}

/** The password that the spec requests, or a new password if none is known of a service that the operator created. */
function wishOf(
  { password: wanted }: ShownService,
  { hasPassword, outcome, passwordFrom }: EntryContent,
): Wish | undefined {
  const isMissing = !hasPassword && outcome === 'created';
  switch (wanted.state) {
    case 'waiting':
    case 'refused':
      return undefined;
    case 'asItIs':
      if (!isMissing) return undefined;
      return {
        origin: initialOrigin,
        source: undefined,
        message: 'the password is not known: setting a new password',
      };
    case 'rotated':
      if (!isMissing && passwordFrom === wanted.origin) return undefined;
      return {
        origin: wanted.origin,
        source: undefined,
        message: 'setting a new password, as spec.password.rotation asks',
      };
    case 'given': {
      if (!isMissing && passwordFrom === wanted.origin) return undefined;
      const description = `the password of Secret "${wanted.source.name}"`;
      const { origin, source } = wanted;
      const unfit = wanted.unfit === undefined ? undefined : `${description} ${wanted.unfit}`;
      return { origin, source, message: `setting ${description}`, unfit };
    }
  }
}

/** Has the user's Secret watched, so that its changes wake this object. */
function watched({ password: wanted }: ShownService, { origin }: Wish): PendingChange | undefined {
  if (wanted.state !== 'given' || wanted.isWatched || wanted.origin !== origin) return undefined;
  return pending(
    write(
      { type: 'watchPasswordSource', source: wanted.source },
      `changes of Secret "${wanted.source.name}" are watched`,
    ),
  );
}

/** Milliseconds in which a password without an answer may still arrive; negative if it cannot any more, or if there is none. */
function mayArriveForMs({ passwordUnansweredAt, now }: ShownService): number {
  return (passwordUnansweredAt ?? Number.NEGATIVE_INFINITY) + unansweredMs - now;
}

/**
 * The change that sets a password, unless the cloud refused that password earlier.
 * @param supersedes the password in flight gives way to this password
 */
function set(
  situation: ShownService,
  { origin, source, message, unfit: whyNot }: Wish,
  supersedes = false,
): PendingChange {
  const { id, secret, entry } = situation;
  if (whyNot !== undefined) return pending(stall('Rejected', whyNot), intervals.nowAndThenMs);
  if (!('wanted' in secret))
    return pending(
      secret.state === 'unusable' ? secret.why : stall('SecretConflict', message),
      intervals.forPersonMs,
    );
  const refused = refusedEarlier(situation, 'updateServicePassword', origin);
  if (refused) return { name, ...refused };
  const waitsForMs = mayArriveForMs(situation);
  if (!entry?.content?.next && waitsForMs > 0) {
    const why =
      'an earlier password was sent and not answered: the next password is sent when the earlier password can no longer arrive';
    return pending(wait('RotatingPassword', why), waitsForMs);
  }
  return pending(
    call(
      {
        type: 'setPassword',
        id: serviceId.parse(id),
        origin,
        source,
        supersedes,
        write: secret.wanted,
        unansweredAt: situation.passwordUnansweredAt,
        neverSent: situation.neverSent,
      },
      { reason: 'RotatingPassword', message },
    ),
  );
}

const name = 'password';

/**
 * A change of the password with this step.
 * @param blockedForMs the time in which other changes go first, if this change must wait
 */
function pending(step: Step, blockedForMs?: number): PendingChange {
  return blockedForMs === undefined ? { name, step } : { name, step, blockedForMs };
}
