import * as z from 'zod';
import { isSame, type JsonObject } from './json.ts';
import type { Kind } from './kinds.ts';
import { type Cause, Refusal } from './refusal.ts';
import type { Metadata, StoredObject } from './stored-object.ts';

const texts = z.record(z.string(), z.string()).nullish();
const shape = z.object({
  name: z.string().nullish(),
  generateName: z.string().nullish(),
  namespace: z.string().nullish(),
  uid: z.string().nullish(),
  resourceVersion: z.string().nullish(),
  deletionTimestamp: z.string().nullish(),
  labels: texts,
  annotations: texts,
  finalizers: z.array(z.string()).nullish(),
  ownerReferences: z.array(z.looseObject({ uid: z.string() })).nullish(),
});

/** The metadata of a request: only the fields that a client may set or must match, without empty values. */
export interface GivenMetadata {
  readonly name?: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly deletionTimestamp?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
}

/** @throws {Refusal} for metadata that the server cannot decode */
export function metadataOf(given: JsonObject): GivenMetadata {
  const result = shape.safeParse(given['metadata'] ?? {});
  if (!result.success)
    throw new Refusal(
      'BadRequest',
      `the metadata cannot be decoded: ${z.prettifyError(result.error)}`,
    );
  return Object.fromEntries(Object.entries(result.data).filter(([, value]) => !isEmpty(value)));
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

const owners = shape.pick({ ownerReferences: true });

/** The fields of metadata that a client sets. */
function settable({ labels, annotations, finalizers, ...rest }: GivenMetadata) {
  const { ownerReferences } = owners.parse(rest);
  return {
    ...(labels ? { labels } : {}),
    ...(annotations ? { annotations } : {}),
    ...(finalizers ? { finalizers } : {}),
    ...(ownerReferences ? { ownerReferences: z.array(z.json()).parse(ownerReferences) } : {}),
  };
}

/** The fields of a new object that the server sets. */
export interface Birth {
  readonly name: string;
  readonly namespace: string | undefined;
  readonly uid: string;
  readonly creationTimestamp: string;
}

/** The metadata of a new object. */
export function newMetadata(kind: Kind, given: GivenMetadata, birth: Birth): Metadata {
  const { name, namespace, uid, creationTimestamp } = birth;
  return {
    name,
    ...(kind.isNamespaced && namespace !== undefined ? { namespace } : {}),
    uid,
    creationTimestamp,
    ...(kind.isCustom ? { generation: 1 } : {}),
    ...settable(given),
  };
}

/**
 * The metadata of an object after an update.
 * @throws {Refusal} `Invalid` for another uid, and for a new finalizer on an object in deletion
 */
export function updatedMetadata(
  kind: Kind,
  given: GivenMetadata,
  { metadata: before }: StoredObject,
): Metadata {
  const { labels: _l, annotations: _a, finalizers: _f, ownerReferences: _o, ...fixed } = before;
  const metadata: Metadata = { ...fixed, ...settable(given) };
  const causes: Cause[] = [];
  if (given.uid !== undefined && given.uid !== before.uid) causes.push(immutable('uid'));
  if (given.deletionTimestamp !== undefined && before.deletionTimestamp === undefined)
    causes.push(immutable('deletionTimestamp'));
  const added = (metadata.finalizers ?? []).filter((each) => !before.finalizers?.includes(each));
  if (before.deletionTimestamp !== undefined && added.length > 0)
    causes.push({
      reason: 'FieldValueForbidden',
      message: 'Forbidden: no new finalizers can be added if the object is being deleted',
      field: 'metadata.finalizers',
    });
  if (causes.length > 0)
    throw new Refusal(
      'Invalid',
      `${kind.kind} ${JSON.stringify(before.name)} is invalid: ${causes.map(({ field, message }) => `${field}: ${message}`).join(', ')}`,
      { name: before.name, group: kind.group, kind: kind.kind },
      causes,
    );
  return metadata;
}

function immutable(field: string): Cause {
  return {
    reason: 'FieldValueInvalid',
    message: 'Invalid value: field is immutable',
    field: `metadata.${field}`,
  };
}

/** The metadata of an object whose deletion begins while finalizers hold it. */
export function deletedMetadata(metadata: Metadata, deletionTimestamp: string): Metadata {
  const { generation } = metadata;
  return {
    ...metadata,
    deletionTimestamp,
    deletionGracePeriodSeconds: 0,
    ...(generation === undefined ? {} : { generation: generation + 1 }),
  };
}

/** The metadata of a custom object, whose generation grows with each change beside metadata and status. */
export function withGeneration(object: StoredObject, before: StoredObject): StoredObject {
  if (isSame(counted(object), counted(before))) return object;
  const generation = (before.metadata.generation ?? 0) + 1;
  return { ...object, metadata: { ...object.metadata, generation } };
}

/** The part of an object whose changes its generation counts. */
function counted({ metadata: _m, status: _s, ...rest }: StoredObject): JsonObject {
  return rest;
}
