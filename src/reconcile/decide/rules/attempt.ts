import { attemptName } from '../../record/attempt.ts';
import { concluded, withoutAttempt } from '../../record/record-changes.ts';
import { annotations } from '../../../resources/annotations.ts';
import { release } from './deletion.ts';
import type { Rule } from '../rule.ts';
import { howToAdopt, mayAdopt } from '../../situation/adopting.ts';
import type { Situation } from '../../situation/situation.ts';
import { intervals } from '../../step/intervals.ts';
import { listed } from '../../step/short-message.ts';
import { stall, wait, write, type Step } from '../../step/step.ts';
import { unreadableCloud } from '../unreadable-cloud.ts';

/** A create without an answer is resolved before anything is changed, deleted or released. */
export const resolveCreateAttempt: Rule<Situation> = (situation) => {
  const { attempt: observed, noun, now } = situation;
  if (!observed) return undefined;
  const name = attemptName(observed.attempt);
  switch (observed.state) {
    case 'unknown':
      return unreadableCloud(situation, observed.error);
    case 'looking':
      return wait('ResolvingCreate', unclearAnswer(situation) ?? noAnswer(noun, name), { afterMs: Math.max(observed.again - now, 1_000) });
    case 'judged':
      switch (observed.verdict.kind) {
        case 'one':
          return conclude(situation, observed.verdict.id, `the ${noun} "${name}" had been created as ${observed.verdict.id}`);
        case 'ambiguous':
          return ambiguous(situation, observed.verdict.ids);
        case 'none':
          return concludeWithNothing(situation);
      }
  }
};

/** The report of the last answer, if it was unclear. It stays until another answer comes. */
function unclearAnswer({ object }: Situation): string | undefined {
  const failed = object.status?.refusal;
  return failed?.waiting === 'ResolvingCreate' ? failed.message : undefined;
}

function noAnswer(noun: string, name: string): string {
  return `it is not known yet whether the request for ${noun} "${name}" reached the cloud: looking for it there; nothing is created twice`;
}

function conclude({ record, now }: Situation, id: string, message: string, outcome?: 'adopted'): Step {
  return write({ type: 'writeRecord', record: concluded(record, id, now, outcome) }, message);
}

/** A user must choose a candidate, or none. A decision about other candidates does not count. */
function ambiguous(situation: Situation, ids: readonly string[]): Step | undefined {
  const { noun, object, deletion } = situation;
  const { [annotations.externalId]: chosen, [annotations.createAnyway]: others } = object.metadata.annotations ?? {};
  const asked = ids.join(',');
  if (others === asked) return concludeWithNothing(situation);
  const isTakable = mayAdopt(situation);
  const isGone = deletion.requested;
  const noneOfThese = `${annotations.createAnyway}=${asked} ${isGone ? 'to leave all' : 'for another'}`;
  if (chosen === undefined || !ids.includes(chosen)) {
    const which = `${listed(ids)} may come from the unanswered create or another creator`;
    const take = `${howToAdopt(isTakable, ids)} to ${isGone ? 'delete' : 'adopt'}`;
    const message = `${which}: ${take}, or ${isTakable ? '' : 'annotate '}${noneOfThese}`;
    return stall('AmbiguousCreate', message, { retryAfterMs: intervals.forPersonMs });
  }
  // The chosen resource may have another creator, so its password stays as it is.
  if (isTakable) return conclude(situation, chosen, `the ${noun} ${chosen} was chosen`, 'adopted');
  return stall(
    'NotAllowed',
    `the operator's own key cannot adopt ${annotations.externalId} ${chosen}: set spec.credentialsRef to your own key, or annotate ${noneOfThese}`,
  );
}

/**
 * The attempt created nothing. A deleted object is released; otherwise `create` begins another attempt. A
 * resource that was to be replaced still belongs to the object.
 */
function concludeWithNothing(situation: Situation): Step | undefined {
  const { record, deletion, noun } = situation;
  if (record.id !== undefined) {
    return write({ type: 'writeRecord', record: withoutAttempt(record) }, `no ${noun} took the place of ${record.id}`);
  }
  return deletion.requested ? release(situation, `no ${noun} was created`) : undefined;
}
