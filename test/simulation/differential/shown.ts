import {
  at,
  isList,
  isObject,
  isSame,
  type Json,
  type JsonObject,
  textAt,
} from '../api-server/json.ts';

/** Gives the changing values of a server, such as uids, symbols in the order in which they appear. */
export class Symbols {
  readonly #seen = new Map<string, string>();

  of(prefix: string, value: string): string {
    const symbol = this.#seen.get(value) ?? `${prefix}${this.#seen.size}`;
    this.#seen.set(value, symbol);
    return symbol;
  }
}

/** A reply or a line as it is compared: with symbols, and without texts that may differ. */
export function shown(body: Json | undefined, symbols: Symbols): Json | undefined {
  if (!isObject(body)) return body;
  if (body['kind'] === 'Status') return shownStatus(body, symbols);
  if (isListReply(body)) {
    const { items } = body;
    const { continue: page, remainingItemCount } = metadataOf(body);
    return {
      apiVersion: body['apiVersion'],
      kind: body['kind'],
      hasMore: page !== undefined && page !== '',
      remainingItemCount,
      items: isList(items) ? items.map((item) => shown(item, symbols) ?? null) : items,
    };
  }
  return { ...body, metadata: shownMetadata(metadataOf(body), symbols) };
}

/** Whether a reply is a list of objects. */
export function isListReply(body: Json | undefined): boolean {
  return textAt(body, 'kind')?.endsWith('List') === true;
}

function metadataOf(body: JsonObject): JsonObject {
  const { metadata } = body;
  return isObject(metadata) ? metadata : {};
}

function shownMetadata(metadata: JsonObject, symbols: Symbols): JsonObject {
  const { managedFields: _managed, uid, resourceVersion, ...rest } = metadata;
  return {
    ...rest,
    creationTimestamp: typeof rest['creationTimestamp'],
    deletionTimestamp: typeof rest['deletionTimestamp'],
    uid: typeof uid === 'string' ? symbols.of('u', uid) : uid,
    resourceVersion:
      typeof resourceVersion === 'string' ? symbols.of('v', resourceVersion) : resourceVersion,
  };
}

/** Of the causes only the two count that the operator reads. */
function shownStatus(body: JsonObject, symbols: Symbols): JsonObject {
  const causes = at(body, 'details', 'causes');
  const uid = textAt(body, 'details', 'uid');
  return {
    kind: 'Status',
    status: body['status'],
    reason: body['reason'],
    code: body['code'],
    name: at(body, 'details', 'name'),
    group: at(body, 'details', 'group'),
    of: at(body, 'details', 'kind'),
    uid: uid === undefined ? undefined : symbols.of('u', uid),
    causes: (isList(causes) ? causes : [])
      .filter(
        (cause) =>
          at(cause, 'reason') === 'NamespaceTerminating' || at(cause, 'field') === 'metadata.uid',
      )
      .map((cause) => [at(cause, 'reason') ?? null, at(cause, 'field') ?? null])
      // The real server may repeat a cause.
      .filter((cause, index, all) => all.findIndex((each) => isSame(each, cause)) === index),
  };
}

/** A line of a watch as it is compared. */
export function shownLine(line: Json, symbols: Symbols): Json {
  const object = at(line, 'object');
  // The version of a bookmark is that of the whole server, which other tests use, too.
  if (at(line, 'type') === 'BOOKMARK')
    return { type: 'BOOKMARK', annotations: at(object, 'metadata', 'annotations') };
  return { type: at(line, 'type'), object: shown(object, symbols) };
}

/** Whether a line is a bookmark that does not mark the end of the initial list: it may come at any time. */
export function isReminder(line: Json): boolean {
  return (
    at(line, 'type') === 'BOOKMARK' && at(line, 'object', 'metadata', 'annotations') === undefined
  );
}

/** The places where two values differ, with both values: the real server's first. */
export function differences(
  one: Json | undefined,
  other: Json | undefined,
  path = '',
): readonly string[] {
  if (one === other) return [];
  const areBoth = (isObject(one) && isObject(other)) || (isList(one) && isList(other));
  if (!areBoth) return [`${path}: real ${JSON.stringify(one)}, memory ${JSON.stringify(other)}`];
  const fields = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...fields].flatMap((field) =>
    differences(inside(one, field), inside(other, field), `${path}.${field}`),
  );
}

function inside(value: Json, field: string): Json | undefined {
  if (isList(value)) return value[Number(field)];
  return isObject(value) ? value[field] : undefined;
}
