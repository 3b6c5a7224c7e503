/**
 * Writes the lines of a turn of the event loop at once: a busy operator logs several lines in a turn, and each write is
 * a system call. A process that is killed in mid-turn loses the lines of this turn.
 */
export function perTurn(write: (text: string) => void): { readonly line: (text: string) => void; readonly flush: () => void } {
  let lines = '';
  const flush = () => {
    const text = lines;
    lines = '';
    if (text !== '') write(text);
  };
  return {
    line(text) {
      if (lines === '') setImmediate(flush);
      lines += text;
    },
    flush,
  };
}
