/** A label, and all that it may say: what is told from outside could otherwise fill the memory of whoever scrapes. */
export type Label =
  /** `shown` stands for the values on the page, where they are many. */
  | { readonly values: readonly string[]; readonly shown?: string }
  /** One value for the life of a process: a setting of it. */
  | { readonly setting: string };

/** What takes the place of a value that is not on the list. */
export const other = 'other';
/** The code of a request that was not answered, as client-go has it. */
export const noReply = '<error>';

export function oneOf(values: readonly string[], shown?: string): Label {
  return { values: [...values, other], ...(shown === undefined ? {} : { shown }) };
}

/** What APIs and what stands before them answer. */
const statuses = '200 201 202 204 301 302 307 308 400 401 403 404 405 408 409 410 413 415 422 425 429 500 501 502 503 504'.split(' ');

export const httpStatus: Label = oneOf([...statuses, noReply], `a status of HTTP, such as \`200\`; \`${noReply}\` without a reply`);

/** The value as it may be told. */
export function bounded(label: Label, value: string): string {
  return 'setting' in label || label.values.includes(value) ? value : other;
}

export function codeOf(status: number | undefined): string {
  return status === undefined ? noReply : String(status);
}
