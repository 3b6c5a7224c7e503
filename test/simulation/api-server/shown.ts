import type { JsonObject } from './json.ts';
import type { Kind } from './kinds.ts';
import type { StoredObject } from './stored-object.ts';

/** How a reply shows objects: whole, or only their metadata. */
export interface Shown {
  object(object: StoredObject): JsonObject;
  list(kind: Kind, metadata: JsonObject, items: readonly StoredObject[]): JsonObject;
}

const whole: Shown = {
  object: (object) => object,
  list: ({ apiVersion, kind, isCustom }, metadata, items) => ({
    apiVersion,
    kind: `${kind}List`,
    metadata,
    // The kind of built-in objects stands only in the head of their list.
    items: isCustom ? items : items.map(({ apiVersion: _a, kind: _k, ...rest }) => rest),
  }),
};

const apiVersion = 'meta.k8s.io/v1';
const metadataOf = ({ metadata }: StoredObject) => ({
  kind: 'PartialObjectMetadata',
  apiVersion,
  metadata,
});
const partial: Shown = {
  object: metadataOf,
  list: (_kind, metadata, items) => ({
    kind: 'PartialObjectMetadataList',
    apiVersion,
    metadata,
    // Go's empty list.
    items: items.length === 0 ? null : items.map(metadataOf),
  }),
};

/** The form that the header `accept` asks for. */
export function shownAs(accept: string | undefined): Shown {
  return accept?.includes('as=PartialObjectMetadata') === true ? partial : whole;
}
