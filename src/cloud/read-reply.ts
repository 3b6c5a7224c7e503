import * as z from 'zod';
import type { CloudOperation } from './cloud-api.ts';
import { CloudError } from './cloud-error.ts';
import type { Reply } from './exchange.ts';
import { inTurns } from './in-turns.ts';
import { jsonItems } from './json-items.ts';
import { KnownItems } from './known-items.ts';
import { operations, replySchema } from './wire/all.ts';
import { wrongId } from './reply-id.ts';
import { TransportFailure } from './transport-failure.ts';
import { addUnknownFields } from './unknown-fields.ts';

export interface ReadReply {
  readonly value: unknown;
  /** Paths of reply fields that the schema does not know, such as `[].endpoint.scheme`. */
  readonly unknownFields: ReadonlySet<string>;
}

/**
 * Reads a successful reply. For an operation that neither reads nor creates, the status suffices, unless the reply
 * shows another resource.
 * @throws {CloudError} kind `unreadable` with the path of the field and the expected value, never the actual value;
 *   also for a {@link wrongId}, which leaves the attempt of a create open; kind `network` when the connection was lost
 *   half-way
 */
export async function readSuccess(
  operation: CloudOperation,
  ids: readonly string[],
  reply: Reply,
  known = new KnownItems(),
): Promise<ReadReply> {
  const row = operations[operation];
  const schema = replySchema(row);
  const read = schema
    ? await readReply(operation, { schema, list: row.success.isList === true ? [operation, ...ids].join('/') : undefined, known }, reply)
    : { value: undefined, unknownFields: new Set<string>() };
  const wrong = wrongId(row, ids, schema ? read.value : json(reply.body));
  if (wrong !== undefined) throw unreadable(operation, reply.status, wrong);
  return read;
}

interface Expected {
  readonly schema: z.ZodType;
  /** The name of the list, where a list of such values is expected. */
  readonly list: string | undefined;
  readonly known: KnownItems;
}

async function readReply(operation: CloudOperation, { schema, list, known }: Expected, { status, body, cut }: Reply): Promise<ReadReply> {
  if (cut === 'tooLong') throw unreadable(operation, status, 'a reply that is too long');
  if (cut === 'connectionLost') {
    const cause = new TransportFailure('the connection was lost before the whole reply had arrived', undefined);
    throw new CloudError({ operation, kind: 'network', status, sent: true, fromApi: false, cause });
  }
  const found = new Set<string>();
  const read = (text: string, one: z.ZodType, index?: number): unknown => {
    const raw = json(text);
    if (raw === undefined) throw unreadable(operation, status, noJson(body));
    const result = one.safeParse(raw);
    if (!result.success) throw unreadable(operation, status, fieldOf(result.error.issues[0], index));
    addUnknownFields(raw, result.data, index === undefined ? '' : '[]', found);
    return result.data;
  };
  const items = list === undefined ? undefined : jsonItems(body);
  if (!items || list === undefined) return { value: read(body, list === undefined ? schema : z.array(schema)), unknownFields: found };
  const value: unknown[] = [];
  const reading = known.begin(list, (text, index) => read(text, schema, index));
  try {
    // A list may be long: parsing ten thousand services at once would hold up everything else for a quarter
    // of a second.
    await inTurns(items, (text, index) => void value.push(reading.item(text, index)));
  } catch (error) {
    throw error instanceof SyntaxError ? unreadable(operation, status, noJson(body)) : error;
  }
  reading.end();
  return { value, unknownFields: found };
}

function noJson(body: string): string {
  return body.trim() === '' ? 'an empty reply where JSON was expected' : 'a reply that is not JSON';
}

function unreadable(operation: CloudOperation, status: number, field: string): CloudError {
  return new CloudError({ operation, kind: 'unreadable', sent: true, fromApi: false, field, status });
}

function json(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    // The parser's error would quote the body.
    return undefined;
  }
}

/** @param index of the item of a list that has the issue */
function fieldOf(issue: z.core.$ZodIssue | undefined, index?: number): string {
  if (!issue) return 'a reply of another shape';
  const steps = index === undefined ? issue.path : [index, ...issue.path];
  const path = steps.map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`)).join('');
  const expected = issue.code === 'invalid_type' ? issue.expected : 'another value';
  return `${path.replace(/^\./u, '') || 'the reply'}: expected ${expected}`;
}
