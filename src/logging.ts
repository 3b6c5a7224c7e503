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
      serializers: { error: (error: unknown) => (error instanceof Error ? (error.stack ?? error.message) : String(error)) },
      redact: { paths: censored.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]), censor: '[not shown]' },
    },
    { write: format === 'json' ? write : (line: string) => write(prettyLine(line)) },
  );
}
