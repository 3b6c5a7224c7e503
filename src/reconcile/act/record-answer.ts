import { describeUnreadable, entryName, entryOf } from '../ledger/entry.ts';
import type { CloudOperation } from '../../cloud/cloud-api.ts';
import { CloudError } from '../../cloud/cloud-error.ts';
import type { Context } from '../wiring/context.ts';
import {
  isKept,
  LedgerUnusable,
  noteInCache,
  readEntry,
  updateEntry,
  type PasswordChanges,
} from '../ledger/write-entry.ts';
import {
  KubernetesError,
  referenceOf,
  backOffMs,
  systemClock,
  type KubernetesClient,
} from '../../runtime/index.ts';
import {
  recordIn,
  withRecord,
  type EntryContent,
  type LedgerEntry,
  type ResourceRecord,
} from '../../resources/ledger-entry.ts';
import type { ManagedObject } from '../../resources/managed-object.ts';
import { overtaken } from '../step/errors.ts';

/** Real time in which recording an answer is retried, even during a shutdown. */
const recordWithinMs = 20_000;

const pauses = { firstMs: 250, longestMs: 4_000 };

type Recorder = Pick<Context, 'caches' | 'log'> & {
  readonly kubernetes: Pick<KubernetesClient, 'get' | 'create' | 'patch' | 'delete'>;
};

/** The answer of the cloud to a create. */
export interface Answer {
  readonly id: string;
  /**
   * The content of the entry and its passwords, from the present content. Undefined if the request is not open in that
   * content: another process has closed it, and may have set another password.
   */
  readonly write: (current: EntryContent) => AnswerWrite | undefined;
}

interface AnswerWrite {
  readonly content: EntryContent;
  readonly passwords: PasswordChanges;
}

/**
 * Makes a change of the record alone, without a change of passwords.
 * @param change makes the new record from the present record. Undefined means that another process has closed the
 *   request meanwhile: `recordAnswer` then writes nothing, and throws.
 */
export function recordChange(
  change: (record: ResourceRecord) => ResourceRecord | undefined,
): Answer['write'] {
  return (current) => {
    const record = change(recordIn({ content: current }));
    return record && { content: withRecord(current, record), passwords: {} };
  };
}

/**
 * Records the cloud's answer in the entry, unless another process has closed the request. An id that cannot be recorded is at
 * least logged.
 * @throws {KubernetesError} `conflict` when another process has closed the request; else the last error, after 20 seconds or at
 *   once if it cannot end
 * @throws {LedgerUnusable} when the entry cannot be read
 */
export async function recordAnswer(
  object: ManagedObject,
  entry: LedgerEntry,
  answer: Answer,
  context: Recorder,
): Promise<LedgerEntry> {
  try {
    return await keepRecording(object, entry, answer, context);
  } catch (error) {
    // Another process may have found the resource.
    if (entryOf(object, context.caches)?.content?.id === answer.id) throw error;
    context.log.error(
      { object: referenceOf(object), id: answer.id, projectId: entry.content?.projectId, error },
      'the cloud created this for the object, and it could not be recorded: look whether anything names it',
    );
    throw error;
  }
}

async function keepRecording(
  object: ManagedObject,
  opened: LedgerEntry,
  answer: Answer,
  context: Recorder,
): Promise<LedgerEntry> {
  const deadline = performance.now() + recordWithinMs;
  let sent: AnswerWrite | undefined;
  for (let failures = 0; ; failures += 1) {
    try {
      const now = failures === 0 ? undefined : await readEntry(entryName(object), context);
      if (now) noteInCache(now, context);
      // The API server may have carried out a write without a reply.
      if (now && sent && isKept(now, sent.content, sent.passwords)) return now;
      const entry = now ?? opened;
      if (!entry.content) throw new LedgerUnusable(describeUnreadable(entry));
      const next = answer.write(entry.content);
      if (!next) break;
      sent = next;
      return await updateEntry(entry, next.content, next.passwords, context);
    } catch (error) {
      if (
        !(error instanceof KubernetesError) ||
        !mayEnd.has(error.kind) ||
        performance.now() > deadline
      )
        throw error;
      if (failures === 0 && error.kind !== 'conflict')
        context.log.warn(
          {
            object: referenceOf(object),
            id: answer.id,
            projectId: opened.content?.projectId,
            error: String(error),
          },
          'the id that the cloud created for the object cannot be recorded yet; the operator retries',
        );
      await systemClock.sleep(Math.max(backOffMs(failures, pauses, 0), error.retryAfterMs ?? 0));
    }
  }
  throw overtaken(`write ledger entry ${entryName(object)}`);
}

/**
 * Errors that may end in time. Missing rights may: an upgrade of the chart removes rights before it grants new rights.
 * A gateway in front of the API server may answer 404 for a while.
 */
const mayEnd: ReadonlySet<KubernetesError['kind']> = new Set([
  'conflict',
  'network',
  'timeout',
  'server',
  'tooManyRequests',
  'forbidden',
  'unauthorized',
  'placeMissing',
]);

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
  return new CloudError({
    operation,
    kind: 'unreadable',
    sent: true,
    fromApi: false,
    field: 'it names a resource that was there before',
  });
}
