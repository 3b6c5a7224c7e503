/** A terminal is redrawn; any other output gets plain lines. */
export interface Screen {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  /** Of a terminal. Both may change at any time. */
  readonly columns?: number;
  readonly rows?: number;
}

export interface Steps {
  run<T>(title: string, work: (say: (detail: string) => void) => Promise<T>): Promise<T>;
  /** Shows a block that changes. A terminal is redrawn; another output prints the block again when `news` differs. */
  live(block: string, news: string): void;
  /** Keeps the current output; the next live block begins below it. */
  settle(): void;
  say(text: string): void;
  /** Prints the last text. Later output of unfinished work is not shown. */
  end(text: string): void;
}

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const frameMs = 100;
/** A log file gets progress of a long step only so often. */
const plainIntervalMs = 30_000;

export function steps(screen: Screen): Steps {
  const draws = screen.isTTY === true;
  // The last column stays free: after writing there, a terminal may begin a new line.
  const columns = () => (screen.columns ?? 80) - 1;
  let shown = '';
  let printed = '';
  let hasEnded = false;
  const write = (text: string) => {
    if (!hasEnded) screen.write(text);
  };
  return {
    async run(title, work) {
      const begun = performance.now();
      const took = () => `${((performance.now() - begun) / 1_000).toFixed(1)} s`;
      let detail = '';
      let frame = 0;
      let saidAt = Number.NEGATIVE_INFINITY;
      const draw = () => {
        frame += 1;
        const line = `${frames[frame % frames.length] ?? ''} ${title}${detail === '' ? '' : `: ${detail}`} (${took()})`;
        write(`\r\u001B[2K${cut(line, columns())}`);
      };
      const timer = draws ? setInterval(draw, frameMs) : undefined;
      if (!draws) write(`${title} ...\n`);
      let ended = '✗';
      try {
        const result = await work((next) => {
          detail = next;
          if (draws || performance.now() - saidAt < plainIntervalMs) return;
          saidAt = performance.now();
          write(`  ${next}\n`);
        });
        ended = '✓';
        return result;
      } finally {
        clearInterval(timer);
        write(draws ? `\r\u001B[2K${ended} ${title} (${took()})\n` : `${ended === '✓' ? 'done' : 'failed'}: ${title} (${took()})\n`);
      }
    },
    live(block, news) {
      const fitted = draws ? fitting(block, columns(), screen.rows ?? 24) : block;
      if (fitted === shown || (!draws && news === printed)) return;
      printed = news;
      write(`${draws ? erase(shown.split('\n').length - 1) : ''}${fitted}`);
      shown = fitted;
    },
    settle() {
      shown = '';
      printed = '';
    },
    say: write,
    end(text) {
      write(`${draws ? '\r\u001B[2K' : ''}${text}`);
      hasEnded = true;
    },
  };
}

function erase(lines: number): string {
  return lines > 0 ? `\u001B[${lines}A\u001B[0J` : '';
}

/**
 * Fits a block into the screen, so that it can be redrawn: at most `columns` wide, fewer lines than `rows`. Prose is
 * wrapped and indented; tables are cut.
 */
export function fitting(block: string, columns: number, rows: number): string {
  const lines = block
    .replace(/\n$/u, '')
    .split('\n')
    .flatMap((line) => (line.startsWith(indent) ? wrapped(line, columns) : [cut(line, columns)]));
  const kept = lines.length < rows ? lines : [...lines.slice(0, rows - 2), '...'];
  return `${kept.join('\n')}\n`;
}

/** Lines that begin like this are prose and wrapped; lines of a table are cut. */
const indent = '  ';

function cut(line: string, columns: number): string {
  return line.length <= columns ? line : `${line.slice(0, columns - 1)}…`;
}

function wrapped(line: string, columns: number): readonly string[] {
  const lines: string[] = [];
  let current = indent;
  for (const word of line.trim().split(' ')) {
    const next = current === indent || current === indent + indent ? current + word : `${current} ${word}`;
    if (next.length <= columns) {
      current = next;
      continue;
    }
    lines.push(cut(current, columns));
    current = indent + indent + word;
  }
  return [...lines, cut(current, columns)];
}
