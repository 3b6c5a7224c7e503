/** Whether two values are both there and not the same. A size is a number in one place and its text in another: they are the same. */
export function differs(asked: unknown, shown: unknown): boolean {
  return asked !== undefined && shown !== undefined && text(asked) !== text(shown);
}

export function text(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
