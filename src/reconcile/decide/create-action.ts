import type { Action, Creation } from '../step/action.ts';
import { withoutAttempt } from '../record/record-changes.ts';
import type { ResourceRecord } from '../record/record.ts';
import type { SameNames, Situation } from '../situation/situation.ts';

/**
 * The creates of all kinds, apart from what is asked for. What the record knew of a lost resource stays in it until another has taken its place: should
 * nothing come of the create, there is nothing to undo.
 * @param parts what goes into the record together with the attempt
 */
export function createAction(
  { object, record, clusterUid, sameNames }: Situation & { readonly sameNames: SameNames },
  creation: Creation,
  parts: Partial<ResourceRecord>,
  recordOnSuccess: Partial<ResourceRecord> = {},
): Extract<Action, { type: 'create' }> {
  const { spec, metadata } = object;
  // What was there when an earlier attempt began is none of this one's, either.
  const earlier = record.attempt?.sameNameIds ?? [];
  return {
    type: 'create',
    creation,
    name: spec.name === undefined ? { kind: 'ours', prefix: metadata.name } : { kind: 'given', name: spec.name },
    sameNameIds: [...new Set([...earlier, ...(sameNames.state === 'read' ? sameNames.ids : [])])],
    record: { ...withoutAttempt(record), clusterUid, objectUid: metadata.uid, ...parts },
    recordOnSuccess,
  };
}
