import * as z from 'zod';

const entry = z.looseObject({
  level: z.string(),
  time: z.string(),
  msg: z.string().optional(),
  object: z.unknown().optional(),
  reason: z.unknown().optional(),
  error: z.unknown().optional(),
});

/** A log line for people: time, level unless `info`, object, message. Pure. */
export function prettyLine(json: string): string {
  const { level, time, msg = '', object, reason, error, ...fields } = entry.parse(JSON.parse(json));
  // The `object` field has them in a single word.
  const { kind: _kind, namespace: _namespace, name: _name, ...parts } = fields;
  const rest = object === undefined ? fields : parts;
  const loudness = level === 'info' ? '' : `${level.toUpperCase()} `;
  const subject = object === undefined ? '' : `${printable(object)} `;
  const why = reason === undefined ? '' : `${printable(reason)}: `;
  const more = Object.entries(rest).map(([key, value]) => ` ${key}=${printable(value)}`);
  const trace =
    error === undefined
      ? ''
      : textOf(error)
          .split('\n')
          .map((line) => `\n  ${printable(line)}`)
          .join('');
  return `${time.slice(11, 19)} ${loudness}${subject}${why}${printable(msg)}${more.join('')}${trace}\n`;
}

/** The value on a single line, without control characters for a terminal: messages contain text of the cloud. */
function printable(value: unknown): string {
  return textOf(value).replaceAll(/\p{Cc}+/gu, ' ');
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
