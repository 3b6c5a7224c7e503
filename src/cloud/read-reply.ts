import * as z from 'zod';
import type { CloudOperation } from './cloud-api.ts';
import { CloudError, type CloudErrorKind, TransportFailure } from './cloud-error.ts';
import type { Reply } from './exchange.ts';
import { fieldOf, isFields } from './fields.ts';
import { inTurns } from './in-turns.ts';
import { longPauseMs } from './rate-limiter.ts';
import { type ItemContext, readItem } from './read-item.ts';
import {
  type Operation,
  operations,
  replySchema,
  resourceIds,
  unneededFields,
} from './wire/all.ts';

/** A readable reply to a successful call. */
export interface ReplyReading {
  /** Undefined for an operation that neither reads nor creates. */
  readonly value: unknown;
  /** The fields that do not fit the document, each with the id of its item. */
  readonly odd: readonly string[];
}

/**
 * Reads the reply to a successful call. For an operation that neither reads nor creates, the status
 * suffices, unless the reply shows another resource or is a page: a gateway has answered in place
 * of the cloud.
 *
 * | a field that does not fit the document | the reply |
 * |---|---|
 * | that identifies an item: an id, the address of a peering | is unreadable |
 * | of an item in a list, or in the answer to a create | has the item without it, marked as {@link PartlyRead} |
 * | in the answer to a read of this resource alone | is unreadable |
 * | that no decision needs (`unneededFields`) | has the item without it |
 * @throws {CloudError} kind `unreadable` with the path of the field and the expected value, never
 *   the actual value; also for a {@link wrongId}, which leaves the attempt of a create open; kind
 *   `network` when the connection was lost half-way
 */
export async function readSuccess(
  operation: CloudOperation,
  ids: readonly string[],
  reply: Reply,
): Promise<ReplyReading> {
  const row = operations[operation];
  if (isPage(reply))
    throw unreadable(
      operation,
      reply.status,
      "a page instead of the API's reply, as from a gateway",
    );
  const schema = replySchema(row);
  const read = schema && (await readReply(operation, schema, reply));
  const wrong = wrongId(row, ids, read ? read.value : json(reply.body));
  if (wrong !== undefined) throw unreadable(operation, reply.status, wrong);
  return read ?? { value: undefined, odd: [] };
}

async function readReply(
  operation: CloudOperation,
  schema: z.ZodType,
  { status, body, cut }: Reply,
): Promise<ReplyReading> {
  if (cut === 'tooLong') throw unreadable(operation, status, 'a reply that is too long');
  if (cut === 'connectionLost') {
    const cause = new TransportFailure(
      'the connection was lost before the whole reply had arrived',
      undefined,
    );
    throw new CloudError({ operation, kind: 'network', status, sent: true, fromApi: false, cause });
  }
  const { effect, success }: Operation = operations[operation];
  const isList = success.isList === true;
  const context = itemContextOf(success.body);
  const odd: string[] = [];
  const read = (text: string, of: z.ZodType, index?: number): unknown => {
    const raw = json(text);
    if (raw === undefined) throw unreadable(operation, status, noJson(body));
    const reading = readItem(of, raw, { ...context, index });
    if (reading.type === 'unreadable') throw unreadable(operation, status, reading.field);
    odd.push(...reading.odd);
    if (reading.unreadable === undefined) return reading.value;
    // Only the object of this resource reads it alone.
    if (effect === 'read' && !isList) throw unreadable(operation, status, reading.unreadable.first);
    return { ...(isFields(reading.value) ? reading.value : {}), unreadable: reading.unreadable };
  };
  const items = isList ? jsonItems(body) : undefined;
  if (!items) return { value: read(body, isList ? z.array(schema) : schema), odd };
  const value: unknown[] = [];
  try {
    // Parsing ten thousand services at once would hold up everything else for a quarter of a second.
    await inTurns(items, (text, index) => void value.push(read(text, schema, index)));
  } catch (error) {
    throw error instanceof SyntaxError ? unreadable(operation, status, noJson(body)) : error;
  }
  return { value, odd };
}

/** HTML or XML, which no reply of the API is. */
function isPage({ headers, body }: Reply): boolean {
  return body.trimStart().startsWith('<') || /^text\/html\b/iu.test(headers['content-type'] ?? '');
}

function noJson(body: string): string {
  return body.trim() === '' ? 'an empty reply where JSON was expected' : 'a reply that is not JSON';
}

function unreadable(operation: CloudOperation, status: number, field: string): CloudError {
  return new CloudError({
    operation,
    kind: 'unreadable',
    sent: true,
    fromApi: false,
    field,
    status,
  });
}

function json(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    // The parser's error would quote the body.
    return undefined;
  }
}

const idsBySchema: ReadonlyMap<string, { readonly parameter: string; readonly field: string }> =
  new Map(Object.entries(resourceIds));

function itemContextOf(body: Operation['success']['body']): ItemContext {
  return {
    idField: idsBySchema.get(body ?? '')?.field,
    unneeded: (body && unneededFields[body]) ?? [],
  };
}

/**
 * The wrong id in a successful reply: the field and the expected value. Undefined if the reply may be about the
 * resource of the request.
 *
 * | request | its reply has |
 * |---|---|
 * | reads a resource | the id in the path |
 * | creates a resource | an id, and not that of the resource in the path, such as the source of a fork |
 * | changes or deletes a resource | the id in the path, or no id |
 * | any other | no id that is known before |
 *
 * A reply about another resource proves neither that this resource is there, nor that it is gone.
 * @param ids the ids in the path
 */
function wrongId(
  { path, effect, success: { body, isList } }: Operation,
  ids: readonly string[],
  reply: unknown,
): string | undefined {
  const where = body && idsBySchema.get(body);
  if (!where || isList) return undefined;
  const { field, parameter } = where;
  const asked = ids[parametersOf(path).indexOf(parameter)];
  const id = fieldOf(reply, field) ?? undefined;
  if (effect === 'create')
    return id === undefined || id === asked
      ? `${field}: expected the id of the new resource`
      : undefined;
  const isOther = effect === 'read' ? id !== asked : id !== undefined && id !== asked;
  return isOther ? `${field}: expected the id of the resource in the path` : undefined;
}

function parametersOf(path: string): readonly string[] {
  return [...path.matchAll(/\{(\w+)\}/gu)].map(([, name = '']) => name);
}

const [tab, lineFeed, carriageReturn, blank] = [9, 10, 13, 32];
const [quote, comma, backslash] = [34, 44, 92];
const [openBracket, closeBracket, openBrace, closeBrace] = [91, 93, 123, 125];

/**
 * Splits a JSON array into the texts of its items, so that each can be parsed by itself. The array
 * is valid JSON exactly if each item is, and the iteration throws nothing.
 * @returns undefined if the text is no array
 * @throws {SyntaxError} during the iteration, if the array does not end or something follows it
 */
export function jsonItems(text: string): Iterable<string> | undefined {
  const start = afterBlanks(text, 0);
  return text.charCodeAt(start) === openBracket ? itemsFrom(text, start + 1) : undefined;
}

/**
 * Yields the texts of the items of an array.
 * @throws {SyntaxError} if the array does not end, or something follows it
 */
function* itemsFrom(text: string, first: number): Generator<string> {
  let start = first;
  let depth = 0;
  for (let at = first; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === quote) at = endOfString(text, at);
    else if (code === openBracket || code === openBrace) depth += 1;
    else if (depth > 0 && (code === closeBracket || code === closeBrace)) depth -= 1;
    else if (depth === 0 && code === comma) {
      yield text.slice(start, at);
      start = at + 1;
    } else if (code === closeBracket) {
      if (start > first || afterBlanks(text, start) < at) yield text.slice(start, at);
      if (afterBlanks(text, at + 1) < text.length) break;
      return;
    }
  }
  throw new SyntaxError('an array that does not end, or after whose end something follows');
}

/**
 * Returns the index of the quote that ends the string. Without such a quote, it returns the length
 * of the text.
 */
function endOfString(text: string, from: number): number {
  for (let at = text.indexOf('"', from + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(at - 1 - backslashes) === backslash) backslashes += 1;
    if (backslashes % 2 === 0) return at;
  }
  return text.length;
}

function afterBlanks(text: string, from: number): number {
  let at = from;
  for (; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code !== blank && code !== lineFeed && code !== carriageReturn && code !== tab) break;
  }
  return at;
}

/**
 * Makes the error of a reply that is no success. It accepts any body: JSON, HTML, a partial body,
 * or none.
 * @param redact removes secrets from the cloud's message
 * @param now policy time
 */
export function replyError(
  operation: CloudOperation,
  { status, headers, body }: Reply,
  redact: (text: string) => string,
  now: number,
): CloudError {
  const pauseMs = retryAfterMs(headers['retry-after'], headers.date);
  const said = isJson(headers['content-type']) ? apiErrorIn(body) : undefined;
  const fromGateway = said === undefined && needsApiBody.has(errorKindOf(status));
  const kind = fromGateway ? 'unreadable' : errorKindOf(status);
  return new CloudError({
    operation,
    kind,
    status,
    sent: true,
    fromApi: said !== undefined,
    cloudMessage: said && redact(said.message),
    retryAfterMs: pauseMs,
    pausedUntilMs:
      kind === 'rateLimited' && pauseMs !== undefined && pauseMs >= longPauseMs
        ? now + pauseMs
        : undefined,
    field: unreadableField(kind, status, fromGateway),
  });
}

function unreadableField(
  kind: CloudErrorKind,
  status: number,
  fromGateway: boolean,
): string | undefined {
  if (fromGateway) return `a ${status} without the API's error body, as from a gateway`;
  return kind === 'unreadable'
    ? `a reply with status ${status}, which is neither success nor error`
    : undefined;
}

/**
 * Kinds that conclude something about the request or its resource. The other kinds only make the operator wait; a 401
 * is always about the key, also where a gateway checks it.
 */
const needsApiBody: ReadonlySet<CloudErrorKind> = new Set([
  'invalid',
  'forbidden',
  'notFound',
  'conflict',
]);

/** The kind of an error with this HTTP status and the API's own body. */
export function errorKindOf(status: number): CloudErrorKind {
  switch (status) {
    case 401:
      return 'unauthorized';
    case 403:
      return 'forbidden';
    case 404:
    case 410:
      return 'notFound';
    case 409:
      return 'conflict';
    case 429:
      return 'rateLimited';
    case 408:
    case 425:
      return 'server';
    default:
      if (status >= 400 && status < 500) return 'invalid';
      return status >= 500 && status < 600 ? 'server' : 'unreadable';
  }
}

/** Whether the content type of a reply allows JSON. The API's replies are JSON; a reply without a content type may be. */
function isJson(contentType: string | undefined): boolean {
  return (
    contentType === undefined || /^[a-z]+\/([\w.-]+\+)?json\s*(;|$)/iu.test(contentType.trim())
  );
}

/**
 * The API's own error object: JSON with a text as `code` and as `message`. Gateways also answer with a message in JSON, so a
 * body without both proves nothing.
 */
function apiErrorIn(body: string): { readonly message: string; readonly code: string } | undefined {
  const value = json(body);
  const [code, message] = [fieldOf(value, 'code'), fieldOf(value, 'message')];
  if (typeof code !== 'string' || typeof message !== 'string') return undefined;
  return code === '' || message === '' ? undefined : { code, message };
}

/**
 * A key pauses for ten minutes at most, however long the cloud asks for. Then its next call is the probe: a wrong header
 * or a limit that was lifted must not silence a key for longer.
 */
const maxRetryAfterMs = 600_000;

/**
 * Milliseconds that a `Retry-After` header asks to wait: seconds, or an HTTP date that is compared with the reply's own
 * `Date`. At most ten minutes. Undefined without a readable header.
 */
export function retryAfterMs(
  header: string | undefined,
  date: string | undefined,
): number | undefined {
  if (header === undefined) return undefined;
  const text = header.trim();
  const wait = /^\d+(\.\d+)?$/u.test(text)
    ? Number(text) * 1_000
    : Date.parse(text) - (Date.parse(date ?? '') || Date.now());
  return Number.isNaN(wait) ? undefined : Math.min(Math.max(0, Math.ceil(wait)), maxRetryAfterMs);
}
