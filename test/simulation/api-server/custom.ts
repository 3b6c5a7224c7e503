import type { Contents } from './contents.ts';
import { isObject, type Json, type JsonObject } from './json.ts';
import { Refusal } from './refusal.ts';
import { decoded, problemsOf, type Schema } from './schema.ts';
import type { StoredObject } from './stored-object.ts';

/** The content of the objects of a CustomResourceDefinition. */
export function customContent(
  schema: Schema,
  { group, kind }: { readonly group: string; readonly kind: string },
): Contents {
  return {
    decode(given) {
      const value = decoded(schema, given);
      return isObject(value) ? value : {};
    },
    validate(object, before) {
      const causes = problemsOf(schema, validated(object), before && validated(before), '');
      if (causes.length === 0) return;
      const { name } = object.metadata;
      const text = causes.map(({ field, message }) => `${field}: ${message}`).join(', ');
      const message = `${kind}.${group} ${JSON.stringify(name)} is invalid: ${text}`;
      throw new Refusal('Invalid', message, { name, group, kind }, causes);
    },
  };
}

/** The part of an object that rules see: of the metadata only the name. */
function validated({ metadata, ...rest }: StoredObject): Json {
  const seen: JsonObject = { ...rest, metadata: { name: metadata.name } };
  return seen;
}
