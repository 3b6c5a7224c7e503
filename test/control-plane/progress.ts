/** Reports a long step while it lasts. */
export interface Progress {
  /** The present step; may be called often. */
  update(text: string): void;
  /** It is over; `text` is worth keeping on the screen. */
  done(text: string): void;
}

const plainIntervalMs = 30_000;

/**
 * A line that is rewritten on a terminal. Elsewhere, such as in a log file, a plain line at first, every 30 s, and at
 * the end.
 */
export function terminalProgress(stream: NodeJS.WriteStream): Progress {
  if (!stream.isTTY) return plainProgress((line) => stream.write(`${line}\n`));
  const rewrite = (text: string) =>
    stream.write(`\r\u001b[2K${text.slice(0, (stream.columns || 80) - 1)}`);
  return { update: rewrite, done: (text) => void (rewrite(text) && stream.write('\n')) };
}

function plainProgress(print: (line: string) => void): Progress {
  let last = -Infinity;
  return {
    update(text) {
      if (Date.now() - last < plainIntervalMs) return;
      last = Date.now();
      print(text);
    },
    done: print,
  };
}

/** `0:07`, `4:35` */
export function minutesAndSeconds(durationMs: number): string {
  const seconds = Math.round(durationMs / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}
