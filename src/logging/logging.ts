import { pino, type Logger } from 'pino';
import { prettyLine } from './pretty-line.ts';

export interface LoggingOptions {
  readonly level: 'trace' | 'debug' | 'info' | 'warn' | 'error';
  readonly format: 'json' | 'pretty';
  readonly write: (line: string) => void;
}

/** No code logs these fields. If some code ever does, their values are not printed. */
const censored = ['apiKey', 'password', 'initial_password', 'authorization', 'token', 'uri', 'data'];

/** A logger that writes one JSON object a line, or one line for people. */
export function logger({ level, format, write }: LoggingOptions): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { error: (error: unknown) => traceOf(error) },
      redact: { paths: censored.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]), censor: '[not shown]' },
    },
    { write: format === 'json' ? write : (line: string) => write(prettyLine(line)) },
  );
}

/** The stack of an error, followed by those of its causes: the innermost is the origin. Other properties of an error are not logged. */
function traceOf(error: unknown, depth = 0): string {
  if (!(error instanceof Error)) return String(error);
  const several: readonly unknown[] = error instanceof AggregateError ? error.errors : [];
  const inner = depth < 5 ? [error.cause, ...several].filter((cause) => cause !== undefined) : [];
  return [error.stack ?? error.message, ...inner.map((cause) => `caused by ${traceOf(cause, depth + 1)}`)].join('\n');
}
