/**
 * Splits a stream of bytes into lines. Joins the pieces of a line only once, so that a line in many pieces costs its
 * length. Drops a last line without a line break: the stream was cut in the middle of it.
 */
export async function* linesOf(stream: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let pieces: string[] = [];
  for await (const chunk of stream) {
    const text = decoder.decode(chunk, { stream: true });
    let start = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      pieces.push(text.slice(start, end));
      const line = pieces.join('');
      pieces = [];
      start = end + 1;
      if (line !== '') yield line;
    }
    if (start < text.length) pieces.push(text.slice(start));
  }
}
