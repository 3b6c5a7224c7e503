import { withoutAttempt } from '../../record/record-changes.ts';
import type { ResourceRecord } from '../../record/record.ts';
import { annotations } from '../../../resources/annotations.ts';
import { syncedOf } from '../../../resources/condition.ts';
import { isObserved } from '../../situation/options.ts';
import { mayBeReplaced } from '../../situation/recreation.ts';
import type { Missing, Rule } from '../rule.ts';
import type { CreateAction, Creation } from '../../step/action.ts';
import { nextCreateInMs } from '../../step/failed-create.ts';
import { questionOf } from '../../situation/last-operation.ts';
import { stall, wait } from '../../step/step.ts';
import { unreadableCloud } from '../unreadable-cloud.ts';

/** A resource that another client deleted is reported, and recreated only when a user allows it. */
export const reportLost: Rule<Missing> = (situation) => {
  const { id, cloud, noun, object, now, options, list } = situation;
  if (id === undefined) return undefined;
  const told = syncedOf(object);
  switch (cloud.state) {
    case 'absent': {
      if (mayBeReplaced(object, id)) return undefined;
      const isEmpty = object.kind !== 'ReplicaSet' && list?.latest?.items.size === 0;
      const doubt = isEmpty ? ', as are all others: check API key, project and cloud URL, or' : ':';
      const gone = `${noun} ${id} is gone from the cloud (${cloud.word ?? '404'})${doubt} restore it there, or delete this object`;
      const isSet = object.metadata.annotations?.[annotations.allowRecreate] !== undefined;
      const recreate = `, or ${isSet ? 'correct the annotation to' : 'annotate'} ${annotations.allowRecreate}=${id} for an empty one`;
      // An observer creates nothing.
      return stall('Lost', isObserved(object, options) ? gone : gone + recreate);
    }
    case 'missing':
      // After a restart, the absence must be proven again. No visit has found the resource meanwhile.
      if (told?.reason === 'Lost' && object.status?.id === id)
        return stall('Lost', told.message, { retryAfterMs: Math.max(cloud.again - now, 0) });
      return wait(
        'WaitingForCloud',
        `the cloud ${cloud.word ? `calls ${noun} ${id} ${cloud.word}: making sure` : `does not show ${noun} ${id} yet`}`,
        {
          afterMs: Math.max(cloud.again - now, 0),
        },
      );
    case 'unknown':
    case 'none':
      return unreadableCloud(situation, cloud.state === 'unknown' ? cloud.error : undefined);
    case 'present':
      return undefined;
  }
};

/** A create that was refused, or had no result after an unclear answer, is retried later; at once when spec or key change. */
export const backOffAfterFailedCreate: Rule<Missing> = (situation) => {
  const { object, createFailedAt, now } = situation;
  const failed = object.status?.refusal;
  const { generation, credentialsVersion } = questionOf(situation);
  if (!failed || createFailedAt === undefined) return undefined;
  // An older CRD may have dropped the question of the failed create. Its answer counts for this question: no
  // create skips its back-off.
  const isAnswer =
    failed.generation === undefined || (failed.generation === generation && failed.credentialsVersion === credentialsVersion);
  if (!isAnswer) return undefined;
  const again = createFailedAt + nextCreateInMs(failed);
  if (now >= again) return undefined;
  return failed.stalled
    ? stall(failed.stalled, failed.message, { retryAfterMs: again - now })
    : wait(failed.waiting ?? 'WaitingForCloud', failed.message, { afterMs: again - now });
};

/**
 * The action of a create, for all kinds. The record keeps its knowledge of a lost resource until the new
 * resource has replaced it, so a failed create needs no undo.
 * @param parts written into the record together with the attempt
 */
export function createAction(
  { object, record, sameNames }: Missing,
  creation: Creation,
  parts: Partial<ResourceRecord>,
  recordOnSuccess: Partial<ResourceRecord> = {},
): CreateAction {
  const { spec, metadata } = object;
  // Resources from before an earlier attempt are not results of this attempt either.
  const earlier = record.attempt?.sameNameIds ?? [];
  return {
    type: 'create',
    creation,
    name: spec.name === undefined ? { kind: 'ours', prefix: metadata.name } : { kind: 'given', name: spec.name },
    sameNameIds: [...new Set([...earlier, ...(sameNames.state === 'read' ? sameNames.ids : [])])],
    record: { ...withoutAttempt(record), ...parts },
    recordOnSuccess,
  };
}
