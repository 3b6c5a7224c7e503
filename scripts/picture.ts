/** `npm run picture`: runs the demo and draws its output as docs/images/demo.svg. */
import { mkdir, writeFile } from 'node:fs/promises';
import { runDemo } from '../src/demo/demo.ts';

const picture = new URL('../docs/images/demo.svg', import.meta.url);
/** Of the demo: later output is of no use in a picture. */
const lastWords = 'To go on in another terminal';

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
const coloured = (line: string) =>
  escaped(line).replaceAll(/^done|\bTrue\b/gu, (word) => `<tspan class="good">${word}</tspan>`);

/** The text as a picture that is light or dark as its reader's screen is. */
function svg(text: string): string {
  const lines = text.split('\n');
  const columns = Math.max(...lines.map((line) => line.length));
  const [width, height] = [columns * 8.43 + 32, lines.length * 20 + 32];
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width.toFixed(0)}" height="${height}" viewBox="0 0 ${width.toFixed(0)} ${height}" role="img">
<title>npm run demo</title>
<style>
  rect { fill: #f6f8fa; stroke: #d0d7de }
  text { fill: #1f2328; font: 14px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; white-space: pre }
  .good { fill: #1a7f37 }
  @media (prefers-color-scheme: dark) {
    rect { fill: #0d1117; stroke: #30363d }
    text { fill: #e6edf3 }
    .good { fill: #3fb950 }
  }
</style>
<rect x="0.5" y="0.5" width="${(width - 1).toFixed(0)}" height="${height - 1}" rx="8"/>
${lines.map((line, index) => `<text x="16" y="${index * 20 + 30}" xml:space="preserve">${coloured(line)}</text>`).join('\n')}
</svg>
`;
}

const isTable = (text: string) => text.startsWith('\nNAME');

/** Of each step the end, and of the tables, which show each change, the last. */
function summary(texts: readonly string[]): string {
  const last = texts.findLast(isTable);
  return texts
    .filter((text) => !text.endsWith(' ...\n') && (!isTable(text) || text === last))
    .join('')
    .trimEnd();
}

const written: string[] = [];
const done = new AbortController();
let drawn: string | undefined;
const stdout = {
  write(text: string) {
    if (text.startsWith(lastWords)) {
      drawn = svg(`$ npm run demo\n${summary(written)}`);
      done.abort();
    } else written.push(text);
  },
};
await runDemo([], { stdout, stderr: process.stderr, signal: done.signal });
if (drawn === undefined) throw new Error('the demo did not come to its end');
await mkdir(new URL('.', picture), { recursive: true });
await writeFile(picture, drawn);
console.log('docs/images/demo.svg is drawn');
