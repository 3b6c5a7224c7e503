/** Where a password of the user's is. */
export interface PasswordSource {
  readonly name: string;
  readonly key: string;
}

/** The origin of a password that the cloud chose at creation. */
export const initialOrigin = 'initial';

/** The origin of a password that was there before the operator, and that nobody has told it. */
export const asFoundOrigin = 'as found';

export function rotationOrigin(rotation: string): string {
  return `rotation ${rotation}`;
}

const edit = 'edited ';

/** The origin of a password that somebody wrote into the connection Secret: another one with each version of it. */
export function editOrigin({ uid, resourceVersion }: { readonly uid: string; readonly resourceVersion: string }): string {
  return `${edit}${uid} ${resourceVersion}`;
}

/** Such a password answers nothing that the spec asks for. */
export function isEdit(origin: string): boolean {
  return origin.startsWith(edit);
}

const copy = 'copy of ';

/** The origin of a password that is kept aside while its Secret is made again. Nobody asks for it, and it is never sent. */
export function copyOrigin(origin: string | undefined): string {
  return `${copy}${origin ?? ''}`;
}

export function isCopy(origin: string): boolean {
  return origin.startsWith(copy);
}

/** The origin of the password that a copy was made of. */
export function copiedOrigin(origin: string | undefined): string | undefined {
  return origin !== undefined && isCopy(origin) && origin !== copy ? origin.slice(copy.length) : undefined;
}

/** Another one with each version of the user's Secret. */
export function sourceOrigin(
  { name, key }: PasswordSource,
  { uid, resourceVersion }: { readonly uid: string; readonly resourceVersion: string },
): string {
  return `secret ${name}/${key} ${uid} ${resourceVersion}`;
}
