import { backOffMs, isLetGo, KubernetesError, referenceOf, systemClock } from '../../runtime/index.ts';
import type { Context } from '../process/context.ts';
import { createsIn, recordIn, type Attempt, type ResourceRecord } from '../record/record.ts';
import { readObject, writeRecord, type Writer } from './patch-object.ts';
import { typeOf, type ManagedObject } from '../../resources/managed-object.ts';

type Recorder = Writer & Pick<Context, 'log'>;

/** Real time in which recording an answer is retried, even during a shutdown. */
const recordWithinMs = 20_000;
const pauses = { firstMs: 250, longestMs: 4_000 };

/**
 * Records the id from the answer to a create, unless the object's record names another resource meanwhile, or says that others have closed the create: a lost
 * resource that was seen again stays the object's.
 */
export function recordCreated(opened: ManagedObject, attempt: Attempt, record: ResourceRecord, context: Recorder): Promise<ManagedObject> {
  const recordFor = (current: ManagedObject) => {
    const there = recordIn(current);
    if (there.id === record.id) return 'recorded';
    return isOverruled(attempt, record, there) ? undefined : record;
  };
  return recordAnswer(opened, { id: record.id, record, recordFor }, context);
}

/** What the cloud made for an object, as it is recorded. */
interface Answer {
  readonly id: string | undefined;
  readonly record: ResourceRecord;
  /** The same for the object as it is now. `recorded`: an earlier write arrived, and its reply did not. Undefined: it does not count any more. */
  readonly recordFor: (current: ManagedObject) => ResourceRecord | 'recorded' | undefined;
}

/**
 * Records what the cloud answered that it made. If a user edits or replaces the object meanwhile, it is read again and recorded anyway. An id that cannot be
 * recorded is at least logged.
 */
export async function recordAnswer(opened: ManagedObject, answer: Answer, context: Recorder): Promise<ManagedObject> {
  try {
    return await keepRecording(opened, answer, context);
  } catch (error) {
    const { id, record } = answer;
    context.log.error(
      { object: referenceOf(opened), id, projectId: record.projectId, error },
      'the cloud created this for the object, and it could not be recorded: look whether anything names it',
    );
    throw error;
  }
}

async function keepRecording(opened: ManagedObject, answer: Answer, context: Recorder): Promise<ManagedObject> {
  const deadline = performance.now() + recordWithinMs;
  let { record } = answer;
  let object = opened;
  let wasInConflict = false;
  let isLogged = false;
  for (let failures = 0; ; failures += 1) {
    try {
      return await writeRecord(object, record, context);
    } catch (error) {
      if (!(error instanceof KubernetesError) || performance.now() > deadline) throw error;
      const isConflict = error.kind === 'conflict';
      if (!isConflict && !isPassing(error)) throw error;
      if (!isLogged && !isConflict) {
        isLogged = true;
        context.log.warn(
          { object: referenceOf(object), id: answer.id, projectId: record.projectId, error: String(error) },
          'what the cloud created for the object cannot be recorded yet; it is tried again',
        );
      }
      // A single edit needs no delay. Conflicts in a row wait.
      if (!isConflict || wasInConflict) await systemClock.sleep(Math.max(backOffMs(failures, pauses, 0), error.retryAfterMs ?? 0));
      wasInConflict ||= isConflict;
      const current = await readUnlessUnreachable(object, context);
      if (!current) continue;
      const next = answer.recordFor(current);
      if (next === 'recorded') return current;
      if (!isHeldStill(opened, current) || !next) throw error;
      object = current;
      record = next;
    }
  }
}

/** Whether it is the same object, and no finalizer was taken off while it was being deleted: nobody reads the record of one that was let go. */
function isHeldStill({ metadata: { uid } }: ManagedObject, current: ManagedObject): boolean {
  return current.metadata.uid === uid && !isLetGo(current, typeOf(current).finalizer);
}

/** Whether the object has another resource by now, or others have closed this create. A record of before it, put back by somebody, closes nothing. */
function isOverruled({ id }: Attempt, record: ResourceRecord, there: ResourceRecord): boolean {
  const isOther = there.id !== undefined && there.id !== record.replaces;
  return isOther || (there.attempt?.id !== id && createsIn(there) >= createsIn(record));
}

/** Whether the error may end in time. Missing rights may: an upgrade of the chart removes some before it grants others. */
function isPassing({ kind }: KubernetesError): boolean {
  return ['network', 'timeout', 'server', 'tooManyRequests', 'forbidden', 'unauthorized'].includes(kind);
}

async function readUnlessUnreachable(object: ManagedObject, context: Writer): Promise<ManagedObject | undefined> {
  try {
    return await readObject(object, context);
  } catch (error) {
    if (error instanceof KubernetesError && isPassing(error)) return undefined; // retried until the deadline
    throw error;
  }
}
