import * as z from 'zod';

const entry = z.looseObject({
  level: z.string(),
  time: z.string(),
  msg: z.string().optional(),
  object: z.string().optional(),
  reason: z.string().optional(),
  error: z.string().optional(),
});

/** A log line for people: time, level when it matters, the object, what happens. Pure. */
export function prettyLine(json: string): string {
  const { level, time, msg = '', object, reason, error, ...rest } = entry.parse(JSON.parse(json));
  const loudness = level === 'info' ? '' : `${level.toUpperCase()} `;
  const subject = object === undefined ? '' : `${object} `;
  const why = reason === undefined ? '' : `${reason}: `;
  const more = Object.entries(rest).map(([key, value]) => ` ${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`);
  const trace = error === undefined ? '' : `\n  ${error.replaceAll('\n', '\n  ')}`;
  return `${time.slice(11, 19)} ${loudness}${subject}${why}${msg}${more.join('')}${trace}\n`;
}
