/** A key of a user's Secret that holds a password. */
export interface PasswordSource {
  readonly name: string;
  readonly key: string;
}

/** The origin of the password that the cloud chose at creation. */
export const initialOrigin = 'initial';

/** The origin of an unknown password that was set before the operator adopted the service. */
export const asFoundOrigin = 'as found';

export function rotationOrigin(rotation: string): string {
  return `rotation ${rotation}`;
}

const edit = 'edited ';

/** The origin of a password that somebody wrote into the connection Secret. It differs for each version of the Secret. */
export function editOrigin({ uid, resourceVersion }: { readonly uid: string; readonly resourceVersion: string }): string {
  return `${edit}${uid} ${resourceVersion}`;
}

/** Whether the password was edited in the connection Secret, and not requested by the spec. */
export function isEdit(origin: string): boolean {
  return origin.startsWith(edit);
}

const copy = 'copy of ';

/** The origin of a copy that is kept while its Secret is recreated. Such a password is never sent. */
export function copyOrigin(origin: string | undefined): string {
  return `${copy}${origin ?? ''}`;
}

export function isCopy(origin: string): boolean {
  return origin.startsWith(copy);
}

/** The origin of the password in a copy. */
export function copiedOrigin(origin: string | undefined): string | undefined {
  return origin !== undefined && isCopy(origin) && origin !== copy ? origin.slice(copy.length) : undefined;
}

/** The origin of a password in a user's Secret. It differs for each version of the Secret. */
export function sourceOrigin(
  { name, key }: PasswordSource,
  { uid, resourceVersion }: { readonly uid: string; readonly resourceVersion: string },
): string {
  return `secret ${name}/${key} ${uid} ${resourceVersion}`;
}
