import { applied, type Applied } from './apply.ts';
import { isObject, isSame, type Json, type JsonObject } from './json.ts';
import { type Kind, keyIn, namespaces } from './kinds.ts';
import {
  deletedMetadata,
  metadataOf,
  newMetadata,
  updatedMetadata,
  withGeneration,
} from './metadata.ts';
import { jsonPatched, mergePatched } from './patch.ts';
import { type Admission, customObjectsIn, refusalOf } from './policies.ts';
import { type About, Refusal } from './refusal.ts';
import { isAllowed } from './rights.ts';
import type { Store } from './store.ts';
import type { StoredObject } from './stored-object.ts';

/** The place, the user and the options of a write. */
export interface Write {
  readonly kind: Kind;
  readonly namespace: string | undefined;
  readonly subresource: string | undefined;
  readonly user: string;
  readonly fieldManager: string;
  /** The server checks everything, but stores nothing. */
  readonly isDryRun: boolean;
}

/** The body of a PATCH, with its media type. */
export interface Patch {
  readonly contentType: string;
  readonly content: Json;
}

/** An object after a write, and whether the write created it. */
export interface Written {
  readonly object: StoredObject;
  readonly isNew: boolean;
}

/** The version that a deletion requires. */
export interface Preconditions {
  readonly uid?: string | null | undefined;
  readonly resourceVersion?: string | null | undefined;
}

/** An object that finalizers still hold, or the last version of an object that is gone. */
export interface Deleted {
  readonly object: StoredObject;
  readonly isGone: boolean;
}

/** The time and the uids of new objects. */
export interface Births {
  /** Milliseconds since the epoch. */
  now(): number;
  newUid(): string;
}

/** Reads and writes single objects as the API server does, in its order of checks. */
export class Objects {
  readonly #store: Store;
  readonly #births: Births;
  readonly #applied: Applied = new Map();
  /**
   * New objects. The server stores them without a status, and shows the default status. So the first update is a
   * write even if it changes nothing.
   */
  readonly #bare = new WeakSet<StoredObject>();

  constructor(store: Store, births: Births) {
    this.#store = store;
    this.#births = births;
  }

  /** The time in the metadata of objects: whole seconds. */
  timestamp(): string {
    return `${new Date(this.#births.now()).toISOString().slice(0, 19)}Z`;
  }

  /** @throws {Refusal} `NotFound` */
  read(kind: Kind, namespace: string | undefined, name: string): StoredObject {
    const object = this.#store.get(kind, keyIn(kind, namespace, name));
    if (!object) throw notFound(kind, name);
    return object;
  }

  /** @param isByName whether a PUT or an apply creates the object: its user may lack the verb create */
  create(write: Write, body: JsonObject, isByName = false): StoredObject {
    const { kind, namespace } = write;
    checkKind(kind, body);
    this.#requireOpenNamespace(write, body);
    const given = metadataOf(body);
    const { name } = given;
    if (name === undefined)
      throw new Refusal(
        'Invalid',
        'metadata.name: Required value: name or generateName is required',
      );
    checkNames(write, given, name);
    const labels = kind === namespaces ? { 'kubernetes.io/metadata.name': name } : {};
    const { status: _status, ...content } = kind.contents.decode(contentOf(body));
    const object: StoredObject = {
      apiVersion: kind.apiVersion,
      kind: kind.kind,
      // A custom kind has a default status, and other kinds have no status that a user sets.
      ...kind.contents.decode(content),
      metadata: newMetadata(
        kind,
        { ...given, ...(kind === namespaces ? { labels: { ...given.labels, ...labels } } : {}) },
        {
          name,
          namespace,
          uid: this.#births.newUid(),
          creationTimestamp: this.timestamp(),
        },
      ),
    };
    kind.contents.validate(object, undefined);
    if (isByName) requireCreate(write, name);
    this.#admit(write, { operation: 'CREATE', object, before: undefined });
    if (!isByName && given.resourceVersion !== undefined)
      throw new Refusal(
        'InternalError',
        'resourceVersion should not be set on objects to be created',
      );
    const key = keyIn(kind, namespace, name);
    if (this.#store.get(kind, key))
      throw new Refusal(
        'AlreadyExists',
        `${qualified(kind)} "${name}" already exists`,
        aboutPlural(kind, name),
      );
    // Only the store gives an object its version, so a dry-run PUT shows the version in its body.
    if (write.isDryRun) return withVersion(object, given.resourceVersion);
    const stored = this.#store.put(kind, key, object);
    if (kind.isCustom) this.#bare.add(stored);
    return stored;
  }

  /** Carries out a PUT. */
  replace(write: Write, name: string, body: JsonObject): Written {
    const { kind, namespace } = write;
    checkKind(kind, body);
    const given = metadataOf(body);
    checkNames(write, given, name);
    kind.contents.decode(contentOf(body));
    const before = this.#store.get(kind, keyIn(kind, namespace, name));
    if (!before && !kind.isCreatedByPut) throw notFound(kind, name);
    if (given.uid !== undefined && given.uid !== (before?.metadata.uid ?? ''))
      throw conflict(
        kind,
        name,
        `Precondition failed: UID in precondition: ${given.uid}, UID in object meta: ${before?.metadata.uid ?? ''}`,
      );
    if (!before && kind.isCreatedByPut)
      return { object: this.create(write, body, true), isNew: true };
    if (!before) throw notFound(kind, name);
    return { object: this.#update(write, before, body), isNew: false };
  }

  /** Carries out a PATCH. */
  patch(write: Write, name: string, { contentType, content }: Patch): Written {
    const { kind, namespace } = write;
    const before = this.#store.get(kind, keyIn(kind, namespace, name));
    switch (contentType) {
      case 'application/apply-patch+yaml':
        return this.#apply(write, before, content);
      case 'application/merge-patch+json': {
        if (!before) throw notFound(kind, name);
        const patched = decodable(kind, mergePatched(before, content));
        return { object: this.#update(write, before, patched), isNew: false };
      }
      case 'application/json-patch+json': {
        if (!before) throw notFound(kind, name);
        const patched = decodable(kind, jsonPatched(before, content));
        return { object: this.#update(write, before, patched), isNew: false };
      }
      default:
        throw new Refusal('UnsupportedMediaType', `the server in memory knows no ${contentType}`);
    }
  }

  delete(write: Write, name: string, preconditions: Preconditions): Deleted {
    const { kind, namespace } = write;
    const before = this.read(kind, namespace, name);
    const { uid, resourceVersion } = before.metadata;
    if ((preconditions.uid ?? uid) !== uid)
      throw unmetPrecondition(
        kind,
        name,
        `the UID in the precondition (${preconditions.uid ?? ''}) does not match the UID in record (${uid})`,
      );
    if ((preconditions.resourceVersion ?? resourceVersion) !== resourceVersion)
      throw unmetPrecondition(
        kind,
        name,
        `the ResourceVersion in the precondition (${preconditions.resourceVersion ?? ''}) does not match the ResourceVersion in record (${resourceVersion ?? ''})`,
      );
    this.#admit(write, { operation: 'DELETE', object: undefined, before });
    return this.#end(write, before);
  }

  /** Deletes an object as the API server itself does: no policy refuses that. */
  collect(kind: Kind, namespace: string | undefined, name: string): Deleted {
    const write = { kind, namespace, isDryRun: false };
    return this.#end(write, this.read(kind, namespace, name));
  }

  #end(write: Pick<Write, 'kind' | 'namespace' | 'isDryRun'>, before: StoredObject): Deleted {
    const { kind, namespace } = write;
    const key = keyIn(kind, namespace, before.metadata.name);
    const isHeld = (before.metadata.finalizers ?? []).length > 0 || kind === namespaces;
    if (!isHeld) {
      if (!write.isDryRun) this.#store.remove(kind, key);
      return { object: before, isGone: true };
    }
    if (before.metadata.deletionTimestamp !== undefined) return { object: before, isGone: false };
    const object: StoredObject = {
      ...before,
      ...(kind === namespaces ? { status: { phase: 'Terminating' } } : {}),
      metadata:
        kind === namespaces
          ? { ...before.metadata, deletionTimestamp: this.timestamp() }
          : deletedMetadata(before.metadata, this.timestamp()),
    };
    return {
      object: write.isDryRun ? object : this.#store.put(kind, key, object),
      isGone: false,
    };
  }

  #update(write: Write, before: StoredObject, body: Json): StoredObject {
    if (!isObject(body)) throw new Refusal('BadRequest', 'the object is no object of JSON');
    const { kind } = write;
    const { name } = before.metadata;
    checkKind(kind, body);
    const given = metadataOf(body);
    checkNames(write, given, name);
    const content = kind.contents.decode(contentOf(body));
    if (given.resourceVersion === undefined && !kind.isReplacedUnseen)
      throw new Refusal(
        'Invalid',
        `${qualified(kind)} "${name}" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update`,
        { name, group: kind.group, kind: kind.plural },
        [
          {
            reason: 'FieldValueInvalid',
            message: 'Invalid value: 0: must be specified for an update',
            field: 'metadata.resourceVersion',
          },
        ],
      );
    if (
      (given.resourceVersion ?? before.metadata.resourceVersion) !== before.metadata.resourceVersion
    )
      throw conflict(
        kind,
        name,
        `Operation cannot be fulfilled on ${qualified(kind)} "${name}": the object has been modified; please apply your changes to the latest version and try again`,
      );
    const object = this.#updated(write, before, { given, content });
    kind.contents.validate(object, before);
    this.#admit(write, { operation: 'UPDATE', object, before });
    if (isSame(object, before) && !this.#bare.has(before)) return before;
    const key = keyIn(kind, write.namespace, name);
    const isReleased =
      object.metadata.deletionTimestamp !== undefined &&
      (object.metadata.finalizers ?? []).length === 0 &&
      kind !== namespaces;
    if (write.isDryRun) return object;
    if (!isReleased) return this.#store.put(kind, key, object);
    this.#store.remove(kind, key);
    return object;
  }

  /** The object that an update makes: status and the rest of an object change apart. */
  #updated(
    { kind, subresource }: Write,
    before: StoredObject,
    {
      given,
      content,
    }: { readonly given: ReturnType<typeof metadataOf>; readonly content: JsonObject },
  ): StoredObject {
    const metadata = updatedMetadata(kind, given, before);
    if (subresource === 'status') {
      const { status: _status, ...rest } = before;
      const { status } = content;
      return statusOf(kind, { ...rest, ...(status === undefined ? {} : { status }) });
    }
    const { status: _status, ...spec } = content;
    const object: StoredObject = {
      apiVersion: kind.apiVersion,
      kind: kind.kind,
      metadata,
      ...spec,
      ...(before.status === undefined ? {} : { status: before.status }),
    };
    return kind.isCustom ? withGeneration(object, before) : object;
  }

  #apply(write: Write, before: StoredObject | undefined, content: Json): Written {
    if (!isObject(content)) throw new Refusal('BadRequest', 'the manifest is no object');
    const merged = applied(this.#applied, before, write.fieldManager, content);
    const object = before
      ? this.#update(write, before, merged.body)
      : this.create(write, merged.body, true);
    if (!write.isDryRun) merged.remember(object.metadata.uid);
    return { object, isNew: before === undefined };
  }

  #admit(
    { kind, user, fieldManager, subresource }: Write,
    { operation, object, before }: Pick<Admission, 'operation' | 'object' | 'before'>,
  ): void {
    if (subresource !== undefined) return;
    const metadata = (object ?? before)?.metadata;
    const inside =
      operation === 'DELETE' && kind === namespaces && metadata
        ? customObjectsIn(metadata.name, (each) => this.#store.all(each))
        : [];
    const admission = { operation, kind, object, before, user, fieldManager, inside };
    const message = refusalOf(admission);
    if (message === undefined) return;
    const name = metadata?.name ?? '';
    throw new Refusal(
      'Forbidden',
      `${qualified(kind)} "${name}" is forbidden: ${message}`,
      aboutPlural(kind, name),
      [{ reason: 'FieldValueForbidden', message, field: '' }],
    );
  }

  #requireOpenNamespace({ kind, namespace }: Write, body: JsonObject): void {
    if (!kind.isNamespaced || namespace === undefined) return;
    const home = this.#store.get(namespaces, namespace);
    if (!home) throw notFound(namespaces, namespace);
    if (home.metadata.deletionTimestamp === undefined) return;
    const name = metadataOf(body).name ?? '';
    const message = `namespace ${namespace} is being terminated`;
    throw new Refusal(
      'Forbidden',
      `${qualified(kind)} "${name}" is forbidden: unable to create new content in namespace ${namespace} because it is being terminated`,
      aboutPlural(kind, name),
      [{ reason: 'NamespaceTerminating', message, field: 'metadata.namespace' }],
    );
  }
}

/** @throws {Refusal} `Invalid` for a patched object that the server cannot decode; a whole object is a `BadRequest` */
function decodable(kind: Kind, patched: Json): Json {
  if (!isObject(patched)) throw new Refusal('Invalid', 'patch: Invalid value: no object');
  try {
    metadataOf(patched);
    kind.contents.decode(contentOf(patched));
    return patched;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    throw new Refusal('Invalid', `patch: Invalid value: ${error.message}`);
  }
}

function withVersion(object: StoredObject, resourceVersion: string | undefined): StoredObject {
  if (resourceVersion === undefined) return object;
  return { ...object, metadata: { ...object.metadata, resourceVersion } };
}

/** The decoded default of the status comes back when a status is removed. */
function statusOf(kind: Kind, object: StoredObject): StoredObject {
  const { apiVersion, metadata } = object;
  return { apiVersion, kind: kind.kind, metadata, ...kind.contents.decode(contentOf(object)) };
}

function contentOf({ apiVersion: _a, kind: _k, metadata: _m, ...content }: JsonObject): JsonObject {
  return content;
}

function qualified({ plural, group }: Kind): string {
  return group === '' ? plural : `${plural}.${group}`;
}

function aboutPlural({ group, plural }: Kind, name: string): About {
  return { name, group, kind: plural };
}

function notFound(kind: Kind, name: string): Refusal {
  return new Refusal('NotFound', `${qualified(kind)} "${name}" not found`, aboutPlural(kind, name));
}

function conflict(kind: Kind, name: string, message: string): Refusal {
  return new Refusal('Conflict', message, aboutPlural(kind, name));
}

/** @throws {Refusal} `Forbidden` */
function requireCreate({ kind, namespace, user }: Write, name: string): void {
  const { group, plural } = kind;
  const verb = 'create';
  if (isAllowed(user, { verb, group, resource: plural, namespace, name })) return;
  throw new Refusal(
    'Forbidden',
    `${qualified(kind)} "${name}" is forbidden: User "${user}" cannot create resource "${plural}" in API group "${group}"`,
    aboutPlural(kind, name),
  );
}

/** The conflict of a deletion. The real server names the kind here, and the plural in other conflicts. */
function unmetPrecondition({ group, kind }: Kind, name: string, message: string): Refusal {
  return new Refusal('Conflict', message, { name, group, kind });
}

/** Only built-in kinds may be left out. */
function checkKind({ apiVersion, kind, isCustom }: Kind, body: JsonObject): void {
  const given = isCustom ? body : { kind, apiVersion, ...body };
  const isKind = given['kind'] === kind && given['apiVersion'] === apiVersion;
  if (!isKind) throw new Refusal('BadRequest', `the object is no ${kind} of ${apiVersion}`);
}

function checkNames(
  { namespace }: Write,
  given: { readonly name?: string; readonly namespace?: string },
  name: string,
): void {
  if ((given.name ?? name) !== name)
    throw new Refusal(
      'BadRequest',
      `the name of the object (${given.name ?? ''}) does not match the name on the URL (${name})`,
    );
  if (namespace !== undefined && (given.namespace ?? namespace) !== namespace)
    throw new Refusal(
      'BadRequest',
      'the namespace of the provided object does not match the namespace sent on the request',
    );
}
