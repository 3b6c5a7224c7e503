import type * as z from 'zod';
import type { CloudOperation } from './cloud-api.ts';
import { CloudError } from './cloud-error.ts';
import type { Reply } from './exchange.ts';
import { operations } from './operations/all.ts';
import { replySchema } from './operations/operation.ts';
import { TransportFailure } from './transport-failure.ts';
import { unknownFields } from './unknown-fields.ts';

export interface ReadReply {
  readonly value: unknown;
  /** Paths of reply fields that the schema does not know, such as `[].endpoint.scheme`. */
  readonly unknownFields: ReadonlySet<string>;
}

/**
 * Reads a successful reply. The reply of an operation that neither reads nor creates is ignored: its status says enough.
 * @throws {CloudError} kind `unreadable` with the path of the field and the expected type, never the value; also without the id of a created resource, which
 * leaves the attempt open; kind `network` when the connection was lost half-way
 */
export function readSuccess(operation: CloudOperation, reply: Reply): ReadReply {
  const row = operations[operation];
  const schema = replySchema(row);
  if (!schema) return { value: undefined, unknownFields: new Set() };
  const read = readReply(operation, schema, reply);
  if (row.newId !== undefined && !hasField(read.value, row.newId))
    throw unreadable(operation, reply.status, `${row.newId}: expected the id of the new resource`);
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

function hasField(value: unknown, name: string): boolean {
  return typeof value === 'object' && value !== null && new Map(Object.entries(value)).get(name) !== undefined;
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
