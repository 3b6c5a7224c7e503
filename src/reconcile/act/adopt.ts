import type { ManagedObject } from '../../resources/managed-object.ts';
import type { Context } from '../process/context.ts';
import type { Action } from '../step/action.ts';
import type { Outcome } from '../step/outcome.ts';
import { keep, wait } from '../step/step.ts';
import { writeRecord, type Writer } from './patch-object.ts';

/** Claims a resource, unless another object has claimed it since the look. The time of the claim is that of its write: who looked first is not first. */
export async function adopt(
  { id, record }: Extract<Action, { type: 'adopt' }>,
  object: ManagedObject,
  context: Pick<Context, 'claims' | 'clock' | 'shard'> & Writer,
): Promise<Outcome> {
  const lookAgain: Outcome = { type: 'conflict', step: keep(wait('Adopting', `looking again to whom ${id} belongs`)) };
  const isOvertaken = async (): Promise<boolean> => {
    // Other processes claim, too, and the events of that may be late.
    await context.shard?.catchUp();
    const owner = context.claims.ownerOf(object.kind, record.projectId ?? '', id);
    return owner !== undefined && owner.uid !== object.metadata.uid;
  };
  if (await isOvertaken()) return lookAgain;
  const claim = { ...record, claimedAt: new Date(context.clock.now()).toISOString() };
  const claimed = await writeRecord(object, claim, context);
  if (context.shard && (await isOvertaken())) return lookAgain;
  return { type: 'done', object: claimed, accepted: { operation: 'adopt', wanted: id } };
}
