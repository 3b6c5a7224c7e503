/** Writes lines of one turn of the event loop at once: each write is a call to the system, and a busy operator logs several lines in a turn. */
export function perTurn(write: (text: string) => void): { readonly line: (text: string) => void; readonly flush: () => void } {
  let lines = '';
  const flush = () => {
    if (lines !== '') write(lines);
    lines = '';
  };
  return {
    line(text) {
      if (lines === '') setImmediate(flush);
      lines += text;
    },
    flush,
  };
}
