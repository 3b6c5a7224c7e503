import type * as z from 'zod';
import type { CloudOperation } from './cloud-api.ts';
import { CloudError } from './cloud-error.ts';
import type { Reply } from './exchange.ts';
import { TransportFailure } from './transport-failure.ts';
import { unknownFields } from './unknown-fields.ts';

export interface ReadReply<T> {
  readonly value: T;
  /** Paths of reply fields that the schema does not know, such as `[].endpoint.scheme`. */
  readonly unknownFields: ReadonlySet<string>;
}

/**
 * Reads the body of a successful reply.
 * @throws {CloudError} kind `unreadable` with the path of the field and the expected type, never the value; kind `network` when the connection was lost
 * half-way
 */
export function readReply<T>(operation: CloudOperation, schema: z.ZodType<T>, { status, body, cut }: Reply): ReadReply<T> {
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

/** Requires the id of a created resource. @throws {CloudError} kind `unreadable`, which leaves the attempt open */
export function requireId<T>(operation: CloudOperation, field: string, status: number, reply: ReadReply<T>): ReadReply<T> {
  const { value } = reply;
  const fields = new Map<string, unknown>(typeof value === 'object' && value !== null ? Object.entries(value) : []);
  if (fields.get(field) === undefined) throw unreadable(operation, status, `${field}: expected the id of the new resource`);
  return reply;
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
