import type { CloudError } from '../../cloud/cloud-error.ts';

/**
 * What is known of a cloud resource right now.
 *
 * - `none`: there is no id to look for
 * - `unknown`: it could not be read, or not read with certainty; `error` when the cloud said why
 * - `present`: seen, as it was at `asOf` (policy time)
 * - `missing`: not found, but absence is not proven yet; looked at again at `again` (policy time)
 * - `absent`: proven gone (docs/safety.md, Gone); `word` when the cloud still shows it and calls it deleted
 */
export type CloudSight<T> =
  | { readonly state: 'none' }
  | { readonly state: 'unknown'; readonly error: CloudError | undefined }
  | { readonly state: 'present'; readonly resource: T; readonly asOf: number }
  | { readonly state: 'missing'; readonly again: number }
  | { readonly state: 'absent'; readonly word?: string };

/**
 * Something that a spec names by object or by id.
 *
 * - `none`: the spec names nothing
 * - `found`: its id in the cloud
 * - `waiting`: it is not there yet; the message says what to do
 * - `refused`: naming it needs a right that this object does not have
 */
export type Reference<Id> =
  | { readonly state: 'none' }
  | { readonly state: 'found'; readonly id: Id }
  | { readonly state: 'waiting'; readonly message: string }
  | { readonly state: 'refused'; readonly message: string };
