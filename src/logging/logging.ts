import { pino, type Logger } from 'pino';
import { prettyLine } from './pretty-line.ts';

export interface LoggingOptions {
  readonly level: 'trace' | 'debug' | 'info' | 'warn' | 'error';
  readonly format: 'json' | 'pretty';
  readonly write: (line: string) => void;
}

/** Nothing puts these into a log; should something do so one day, they are not printed. */
const censored = ['apiKey', 'password', 'initial_password', 'authorization', 'token', 'uri', 'data'];

/** One JSON object a line, or one line for people. */
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

/** The stack, and below it those of the causes: what really broke is the innermost. Other properties of an error stay out of the log. */
function traceOf(error: unknown, depth = 0): string {
  if (!(error instanceof Error)) return String(error);
  const several: readonly unknown[] = error instanceof AggregateError ? error.errors : [];
  const inner = depth < 5 ? [error.cause, ...several].filter((cause) => cause !== undefined) : [];
  return [error.stack ?? error.message, ...inner.map((cause) => `caused by ${traceOf(cause, depth + 1)}`)].join('\n');
}
