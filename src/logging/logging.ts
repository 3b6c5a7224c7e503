import { type Logger, pino } from 'pino';
import * as z from 'zod';
import { printable, printableLines } from './printable.ts';

export interface LoggingOptions {
  readonly level: 'trace' | 'debug' | 'info' | 'warn' | 'error';
  readonly format: 'json' | 'pretty';
  readonly write: (line: string) => void;
}

/** Hides the values if some code ever logs these fields. */
const censored: ReadonlySet<string> = new Set([
  'apiKey',
  'password',
  'initial_password',
  'authorization',
  'token',
  'uri',
  'data',
]);
const deepest = 3;

/** A logger that writes each entry on a line: a JSON object, or text for people. */
export function logger({
  level,
  format,
  write,
}: LoggingOptions): Pick<Logger, LoggingOptions['level']> {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: {
        level: (label) => ({ level: label }),
        // An error is left to its serializer.
        log: ({ error, ...fields }) => ({
          ...shown({ ...fields, ...partsOf(fields['object']) }),
          error,
        }),
      },
      serializers: { error: (error: unknown) => traceOf(error) },
    },
    { write: (line: string) => write(format === 'json' ? printableLines(line) : prettyLine(line)) },
  );
}

/** The parts of a reference such as `ManagedService/shop/orders`, so that a log store can select by each. */
function partsOf(object: unknown): Fields {
  const parts = typeof object === 'string' ? object.split('/') : [];
  return parts.length === 3 ? { kind: parts[0], namespace: parts[1], name: parts[2] } : {};
}

type Fields = Readonly<Record<string, unknown>>;

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null;
}

/** The fields without censored values. Pino's own redaction tries all its paths on each value of each line. */
function shown(fields: Fields, depth = deepest): Fields {
  let safe = fields;
  for (const [name, value] of Object.entries(fields)) {
    const inner = isFields(value) && depth > 1 ? shown(value, depth - 1) : value;
    const printed = censored.has(name) ? '[not shown]' : inner;
    if (printed !== value) safe = { ...safe, [name]: printed };
  }
  return safe;
}

/** The stack of an error, then those of its causes: the innermost is the origin. Other properties are not logged. */
function traceOf(error: unknown, depth = 0): string {
  if (!(error instanceof Error)) return String(error);
  const several: readonly unknown[] = error instanceof AggregateError ? error.errors : [];
  const inner = depth < 5 ? [error.cause, ...several].filter((cause) => cause !== undefined) : [];
  return [
    error.stack ?? error.message,
    ...inner.map((cause) => `caused by ${traceOf(cause, depth + 1)}`),
  ].join('\n');
}

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
  const subject = object === undefined ? '' : `${shownOnLine(object)} `;
  const why = reason === undefined ? '' : `${shownOnLine(reason)}: `;
  const more = Object.entries(rest).map(([key, value]) => ` ${key}=${shownOnLine(value)}`);
  const trace =
    error === undefined
      ? ''
      : textOf(error)
          .split('\n')
          .map((line) => `\n  ${shownOnLine(line)}`)
          .join('');
  return `${time.slice(11, 19)} ${loudness}${subject}${why}${shownOnLine(msg)}${more.join('')}${trace}\n`;
}

/** The value on a single line: messages contain text of the cloud. */
function shownOnLine(value: unknown): string {
  return printable(textOf(value));
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/**
 * Writes the lines of a turn of the event loop at once: a busy operator logs several lines in a turn, and each write is
 * a system call. A process that is killed in mid-turn loses the lines of this turn.
 */
export function perTurn(write: (text: string) => void): {
  readonly line: (text: string) => void;
  readonly flush: () => void;
} {
  let lines = '';
  const flush = () => {
    const text = lines;
    lines = '';
    if (text !== '') write(text);
  };
  return {
    line(text) {
      if (lines === '') setImmediate(flush);
      lines += text;
    },
    flush,
  };
}
