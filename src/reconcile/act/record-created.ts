import { annotations } from '../../resources/annotations.ts';
import { KubernetesError } from '../../runtime/kubernetes-client.ts';
import type { Context } from '../context.ts';
import { readRecord, type ResourceRecord } from '../record.ts';
import type { ManagedObject } from '../situation.ts';
import { readObject, writeRecord } from './patch-object.ts';

/** How long an answer that is in hand is tried to be recorded, in real time, shutdown or not. */
const recordWithinMs = 20_000;
const pauseMs = 250;

/**
 * Records the id that a create answered with. A user may edit the object meanwhile: then it is read again, and recorded there, as long as it
 * still carries this attempt.
 */
export async function recordCreated(
  opened: ManagedObject,
  attempt: string,
  record: ResourceRecord,
  context: Context,
): Promise<ManagedObject> {
  const deadline = performance.now() + recordWithinMs;
  let object = opened;
  for (;;) {
    try {
      return await writeRecord(object, record, context);
    } catch (error) {
      if (!(error instanceof KubernetesError) || performance.now() > deadline) throw error;
      const isOvertaken = error.kind === 'conflict';
      if (!isOvertaken && !isPassing(error)) throw error;
      if (!isOvertaken) await context.clock.sleep(pauseMs);
      const current = await readUnlessUnreachable(object, context);
      if (current && recordIn(current)?.id === record.id) return current; // an earlier write arrived, its reply did not
      if (current && (current.metadata.uid !== opened.metadata.uid || recordIn(current)?.attempt?.id !== attempt)) throw error;
      object = current ?? object;
    }
  }
}

function isPassing({ kind }: KubernetesError): boolean {
  return kind === 'network' || kind === 'timeout' || kind === 'server' || kind === 'tooManyRequests';
}

function recordIn(object: ManagedObject): ResourceRecord | undefined {
  const read = readRecord(object.metadata.annotations?.[annotations.record]);
  return read.state === 'read' ? read.record : undefined;
}

async function readUnlessUnreachable(object: ManagedObject, context: Context): Promise<ManagedObject | undefined> {
  try {
    return await readObject(object, context);
  } catch (error) {
    if (error instanceof KubernetesError && isPassing(error)) return undefined; // tried again until the deadline
    throw error;
  }
}
