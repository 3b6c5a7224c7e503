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
