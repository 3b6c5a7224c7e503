import type * as z from 'zod';
import type { CloudOperation } from './cloud-api.ts';
import { CloudError } from './cloud-error.ts';
import type { Reply } from './exchange.ts';
import { operations, replySchema } from './wire/all.ts';
import { wrongId } from './reply-id.ts';
import { TransportFailure } from './transport-failure.ts';
import { unknownFields } from './unknown-fields.ts';

export interface ReadReply {
  readonly value: unknown;
  /** Paths of reply fields that the schema does not know, such as `[].endpoint.scheme`. */
  readonly unknownFields: ReadonlySet<string>;
}

/**
 * Reads a successful reply. Of an operation that neither reads nor creates, the status says enough, unless the reply shows another resource.
 * @throws {CloudError} kind `unreadable` with the path of the field and the expected value, never the actual one; also where {@link wrongId} finds one,
 * which leaves the attempt of a create open; kind `network` when the connection was lost half-way
 */
export function readSuccess(operation: CloudOperation, ids: readonly string[], reply: Reply): ReadReply {
  const row = operations[operation];
  const schema = replySchema(row);
  const read = schema ? readReply(operation, schema, reply) : { value: undefined, unknownFields: new Set<string>() };
  const wrong = wrongId(row, ids, schema ? read.value : json(reply.body));
  if (wrong !== undefined) throw unreadable(operation, reply.status, wrong);
  return read;
}

function readReply(operation: CloudOperation, schema: z.ZodType, { status, body, cut }: Reply): ReadReply {
  if (cut === 'tooLong') throw unreadable(operation, status, 'a reply that is too long');
  if (cut === 'connectionLost') {
    const cause = new TransportFailure('the connection was lost before the whole reply had arrived', undefined);
    throw new CloudError({ operation, kind: 'network', status, sent: true, fromApi: false, cause });
  }
  const raw = json(body);
  if (raw === undefined)
    throw unreadable(operation, status, body.trim() === '' ? 'an empty reply where JSON was expected' : 'a reply that is not JSON');
  const result = schema.safeParse(raw);
  if (!result.success) throw unreadable(operation, status, fieldOf(result.error.issues[0]));
  return { value: result.data, unknownFields: unknownFields(raw, result.data) };
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

function fieldOf(issue: z.core.$ZodIssue | undefined): string {
  if (!issue) return 'a reply of another shape';
  const path = issue.path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`)).join('');
  const expected = issue.code === 'invalid_type' ? issue.expected : 'another value';
  return `${path.replace(/^\./u, '') || 'the reply'}: expected ${expected}`;
}
