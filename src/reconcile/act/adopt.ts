import type { ManagedObject } from '../../resources/managed-object.ts';
import type { Context } from '../process/context.ts';
import type { Action } from '../step/action.ts';
import type { Outcome } from '../step/outcome.ts';
import { keep, wait } from '../step/step.ts';
import { writeRecord } from './patch-object.ts';

/** Claims a resource, unless another object has claimed it since the look. The time of the claim is that of its write: who looked first is not first. */
export async function adopt({ id, record }: Extract<Action, { type: 'adopt' }>, object: ManagedObject, context: Context): Promise<Outcome> {
  const owner = context.claims.ownerOf(object.kind, record.projectId ?? '', id);
  if (owner && owner.uid !== object.metadata.uid) {
    return { type: 'conflict', step: keep(wait('Adopting', `looking again to whom ${id} belongs`)) };
  }
  const claim = { ...record, claimedAt: new Date(context.clock.now()).toISOString() };
  return { type: 'done', object: await writeRecord(object, claim, context), accepted: { operation: 'adopt', wanted: id } };
}
