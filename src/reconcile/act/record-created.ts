import { entryName } from '../record/own-entry.ts';
import { backOffMs, KubernetesError, referenceOf, systemClock, type KubernetesClient } from '../../runtime/index.ts';
import { type EntryContent, type LedgerEntry, type ResourceRecord, recordIn, withRecord } from '../../resources/ledger-entry.ts';
import type { ManagedObject } from '../../resources/managed-object.ts';
import { describeUnreadable } from '../ledger/entry.ts';
import { LedgerUnusable, readEntry, updateEntry, type PasswordChanges } from '../ledger/write-entry.ts';
import type { Context } from '../process/context.ts';
import { overtaken } from '../step/kubernetes-trouble.ts';
import { CloudError } from '../../cloud/cloud-error.ts';
import type { CloudOperation } from '../../cloud/cloud-api.ts';

/** Real time in which recording an answer is retried, even during a shutdown. */
const recordWithinMs = 20_000;
const pauses = { firstMs: 250, longestMs: 4_000 };

type Recorder = Pick<Context, 'caches' | 'log'> & {
  readonly kubernetes: Pick<KubernetesClient, 'get' | 'create' | 'patch' | 'delete'>;
};

/** The resource or peering that the cloud created for an object. */
export interface Answer {
  readonly id: string;
  /** The content of the entry and its passwords, from the present content; undefined if another process has closed the request. */
  readonly write: (current: EntryContent) => { readonly content: EntryContent; readonly passwords: PasswordChanges } | undefined;
}

/** The content with a changed record. */
export function recordChange(change: (record: ResourceRecord) => ResourceRecord | undefined): Answer['write'] {
  return (current) => {
    const record = change(recordIn({ content: current }));
    return record && { content: withRecord(current, record), passwords: {} };
  };
}

/**
 * Records the cloud's answer in the entry, and reads the entry again if another process wrote it meanwhile. An
 * id that cannot be recorded is at least logged.
 */
export async function recordAnswer(object: ManagedObject, entry: LedgerEntry, answer: Answer, context: Recorder): Promise<LedgerEntry> {
  try {
    return await keepRecording(object, entry, answer, context);
  } catch (error) {
    context.log.error(
      { object: referenceOf(object), id: answer.id, projectId: entry.content?.projectId, error },
      'the cloud created this for the object, and it could not be recorded: look whether anything names it',
    );
    throw error;
  }
}

async function keepRecording(object: ManagedObject, opened: LedgerEntry, answer: Answer, context: Recorder): Promise<LedgerEntry> {
  const deadline = performance.now() + recordWithinMs;
  let entry = opened;
  let isLogged = false;
  for (let failures = 0; ; failures += 1) {
    if (!entry.content) throw new LedgerUnusable(describeUnreadable(entry));
    const next = answer.write(entry.content);
    if (!next) throw overtaken(`write ledger entry ${entryName(object)}`);
    try {
      return await updateEntry(entry, next.content, next.passwords, context);
    } catch (error) {
      if (!(error instanceof KubernetesError) || performance.now() > deadline) throw error;
      const isConflict = error.kind === 'conflict';
      if (!isConflict && !isPassing(error)) throw error;
      if (!isLogged && !isConflict) {
        isLogged = true;
        context.log.warn(
          { object: referenceOf(object), id: answer.id, projectId: entry.content.projectId, error: String(error) },
          'what the cloud created for the object cannot be recorded yet; it is tried again',
        );
      }
      if (failures > 0 || !isConflict) await systemClock.sleep(Math.max(backOffMs(failures, pauses, 0), error.retryAfterMs ?? 0));
      entry = (await readUnlessUnreachable(object, context)) ?? entry;
    }
  }
}

/** Whether the error may end in time. Missing rights may: an upgrade of the chart removes rights before it grants new rights. */
function isPassing({ kind }: KubernetesError): boolean {
  return ['network', 'timeout', 'server', 'tooManyRequests', 'forbidden', 'unauthorized'].includes(kind);
}

async function readUnlessUnreachable(object: ManagedObject, context: Recorder): Promise<LedgerEntry | undefined> {
  try {
    return await readEntry(entryName(object), context);
  } catch (error) {
    if (error instanceof KubernetesError && isPassing(error)) return undefined; // retried until the deadline
    throw error;
  }
}

/**
 * The answer to a create, if it names a new resource. The cloud never reuses an id: a known id is of another
 * resource, and the result of the create stays open.
 * @param wasKnown whether the id was known when the create was sent
 */
export function withNewId<A extends { readonly id: string }>(
  operation: CloudOperation,
  answer: A | CloudError,
  wasKnown: (id: string) => boolean,
): A | CloudError {
  if (answer instanceof CloudError || !wasKnown(answer.id)) return answer;
  // Not its id: it may be another tenant's.
  return new CloudError({ operation, kind: 'unreadable', sent: true, fromApi: false, field: 'it names a resource that was there before' });
}
