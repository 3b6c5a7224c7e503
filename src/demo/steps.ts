/** Where the demo writes; a terminal is drawn on, anything else gets plain lines. */
export interface Screen {
  write(text: string): unknown;
  readonly isTTY?: boolean;
}

/** What goes on, for a person to watch. */
export interface Steps {
  /** Shows a step while it runs, and how long it took. */
  run<T>(title: string, work: (say: (detail: string) => void) => Promise<T>): Promise<T>;
  /** Shows a block that changes: redrawn on a terminal, printed again elsewhere when `news`, what of it is worth a new print, differs. */
  live(block: string, news: string): void;
  /** What is on the screen stays; the next live block begins below. */
  settle(): void;
  say(text: string): void;
  /** The last words: what is still at work goes on unseen. */
  end(words: string): void;
}

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const frameMs = 100;
/** In a log file, news of a long step comes this often. */
const plainIntervalMs = 30_000;

export function steps(screen: Screen): Steps {
  const draws = screen.isTTY === true;
  let shown = '';
  let told = '';
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
        write(`\r\u001B[2K${frames[frame % frames.length] ?? ''} ${title}${detail === '' ? '' : `: ${detail}`} (${took()})`);
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
      if (block === shown || (!draws && news === told)) return;
      told = news;
      write(`${draws ? erase(shown.split('\n').length - 1) : ''}${block}`);
      shown = block;
    },
    settle() {
      shown = '';
      told = '';
    },
    say: write,
    end(words) {
      write(`${draws ? '\r\u001B[2K' : ''}${words}`);
      hasEnded = true;
    },
  };
}

function erase(lines: number): string {
  return lines > 0 ? `\u001B[${lines}A\u001B[0J` : '';
}
