/**
 * Writes the lines of a turn of the event loop at once: each write is a call to the system, and a busy operator logs
 * several lines in a turn. A process that is killed in mid-turn loses the lines of this turn.
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
