import { stringify } from 'yaml';
import { printable, printableLines } from '../../logging/printable.ts';

/** kubectl reads YAML 1.1, in which `no`, `1e3`, `0777` and `12:30` are no texts. So each text is quoted. */
const forEachReader = {
  version: '1.1',
  lineWidth: 0,
  defaultStringType: 'QUOTE_DOUBLE',
  defaultKeyType: 'PLAIN',
} as const;

/**
 * A manifest as YAML that a parser of YAML 1.1 and of YAML 1.2 read alike, below its comments. Text of the cloud has no
 * control characters and stays in its place. Half of a character, which no YAML can have, is left to kubectl, which refuses it.
 */
export function manifestText(object: object, comments: readonly string[]): string {
  const head = comments.map((comment) => `# ${printable(comment)}\n`).join('');
  return head + inYaml(printableLines(stringify(object, forEachReader)));
}

/** JSON writes a character beyond U+FFFF as two escapes, YAML as a single escape. */
function inYaml(text: string): string {
  return text.replaceAll(
    /\\u(d[89ab][0-9a-f]{2})\\u(d[c-f][0-9a-f]{2})/gu,
    (_, high: string, low: string) => {
      const code =
        String.fromCharCode(Number.parseInt(high, 16), Number.parseInt(low, 16)).codePointAt(0) ??
        0;
      return `\\U${code.toString(16).padStart(8, '0')}`;
    },
  );
}
