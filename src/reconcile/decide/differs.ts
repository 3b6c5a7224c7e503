/** Whether both values are present and differ. A number equals its text, since sizes are numbers in some places and texts in others. */
export function differs(asked: unknown, shown: unknown): boolean {
  return asked !== undefined && shown !== undefined && text(asked) !== text(shown);
}

export function text(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
