const [tab, lineFeed, carriageReturn, blank] = [9, 10, 13, 32];
const [quote, comma, backslash] = [34, 44, 92];
const [openBracket, closeBracket, openBrace, closeBrace] = [91, 93, 123, 125];

/**
 * The texts of the items of a JSON array, so that each can be parsed by itself. The array is valid JSON exactly if each
 * item is, and nothing is thrown.
 * @returns undefined if the text is no array
 */
export function jsonItems(text: string): Iterable<string> | undefined {
  const start = afterBlanks(text, 0);
  return text.charCodeAt(start) === openBracket ? itemsFrom(text, start + 1) : undefined;
}

/** @throws {SyntaxError} if the array does not end, or something follows it */
function* itemsFrom(text: string, first: number): Generator<string> {
  let start = first;
  let depth = 0;
  for (let at = first; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === quote) at = endOfString(text, at);
    else if (code === openBracket || code === openBrace) depth += 1;
    else if (depth > 0 && (code === closeBracket || code === closeBrace)) depth -= 1;
    else if (depth === 0 && code === comma) {
      yield text.slice(start, at);
      start = at + 1;
    } else if (code === closeBracket) {
      if (start > first || afterBlanks(text, start) < at) yield text.slice(start, at);
      if (afterBlanks(text, at + 1) < text.length) break;
      return;
    }
  }
  throw new SyntaxError('an array that does not end, or after whose end something follows');
}

/** @returns the index of the quote that ends the string; the length of the text if none does */
function endOfString(text: string, from: number): number {
  for (let at = text.indexOf('"', from + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(at - 1 - backslashes) === backslash) backslashes += 1;
    if (backslashes % 2 === 0) return at;
  }
  return text.length;
}

function afterBlanks(text: string, from: number): number {
  let at = from;
  for (; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code !== blank && code !== lineFeed && code !== carriageReturn && code !== tab) break;
  }
  return at;
}
