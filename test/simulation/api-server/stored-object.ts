import type { Json, JsonObject } from './json.ts';

/** The metadata of a stored object, without managedFields. */
export interface Metadata extends JsonObject {
  readonly name: string;
  readonly namespace?: string;
  readonly uid: string;
  /** Absent in the reply to a create with `dryRun`. */
  readonly resourceVersion?: string;
  readonly generation?: number;
  readonly creationTimestamp: string;
  readonly deletionTimestamp?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
}

/** An object as the server stores it. It never changes: a write stores another object. */
export interface StoredObject extends JsonObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Metadata;
  readonly spec?: Json;
  readonly status?: Json;
}
