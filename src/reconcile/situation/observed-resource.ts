import type { CloudError } from '../../cloud/cloud-error.ts';

/**
 * The observation of a cloud resource.
 *
 * - `none`: there is no id to look for
 * - `unknown`: it could not be read with certainty; `error` if the cloud gave one
 * - `present`: it exists, as of `asOf` (policy time)
 * - `missing`: it was not found, and its absence is not proven; the next look is at `again` (policy time). `isNew`: it may be too new to be found
 * - `absent`: it is proven to be gone (docs/safety.md, Gone)
 *
 * `word`: the cloud still shows it, in a deleted state.
 */
export type ObservedResource<T> =
  | { readonly state: 'none' }
  | { readonly state: 'unknown'; readonly error: CloudError | undefined }
  | { readonly state: 'present'; readonly resource: T; readonly asOf: number }
  | { readonly state: 'missing'; readonly again: number; readonly isNew?: true; readonly word?: string }
  | { readonly state: 'absent'; readonly word?: string };

/**
 * A reference in a spec, by object or by id.
 *
 * - `none`: the spec has no reference
 * - `found`: the id in the cloud
 * - `waiting`: the target does not exist yet; the message says what to do
 * - `refused`: the reference needs a right that this object does not have
 */
export type Reference<Id> =
  | { readonly state: 'none' }
  | { readonly state: 'found'; readonly id: Id }
  | { readonly state: 'waiting'; readonly message: string }
  | { readonly state: 'refused'; readonly message: string };
