/** A table as kubectl prints it: a row for each object, by the words of the header. Cells may be empty or hold spaces. */
export function tableOf(text: string): readonly Readonly<Record<string, string>>[] {
  const [header = '', ...lines] = text.trimEnd().split('\n');
  const columns = [...header.matchAll(/\S+/gu)].map(({ 0: name, index }) => ({
    name,
    start: index,
  }));
  return lines.map((line) =>
    Object.fromEntries(
      columns.map(({ name, start }, index) => [
        name,
        line.slice(start, columns[index + 1]?.start).trim(),
      ]),
    ),
  );
}
