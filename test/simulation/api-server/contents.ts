import type { JsonObject } from './json.ts';
import type { StoredObject } from './stored-object.ts';

/** The content of an object: all fields but apiVersion, kind and metadata. */
export interface Contents {
  /**
   * The content that a decoded request has, with defaults and without unknown fields.
   * @throws {Refusal} for a value that the server cannot decode
   */
  decode(given: JsonObject): JsonObject;
  /** Throws a Refusal for an invalid object. @param before undefined for a new object */
  validate(object: StoredObject, before: StoredObject | undefined): void;
}
