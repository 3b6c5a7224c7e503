import type { ManagedObject } from '../../resources/managed-object.ts';
import { asksPerson, readyOf } from '../../resources/condition.ts';

/** Whether status asks a person for something, and nobody changed the spec since. A suspended object does not advance the generation in its status. */
export function stillAsks(object: ManagedObject): boolean {
  const isOfThisSpec = object.spec.suspend === true || readyOf(object)?.observedGeneration === object.metadata.generation;
  return asksPerson(object) && isOfThisSpec;
}

const meanwhile = '; nothing goes on for now: ';

/**
 * The status of an object that asks a person for something, and what else is waited for, since an answer has no effect before that. The next report leaves
 * it out.
 */
export function askedMeanwhile({ status }: ManagedObject, trouble: string): object {
  const conditions = status?.conditions?.map((condition) => {
    const [asked = ''] = condition.message.split(meanwhile);
    return { ...condition, message: `${asked}${meanwhile}${trouble}` };
  });
  return { ...status, conditions };
}
