import { runOperator } from '../../src/operator/run-operator.ts';
import { acceleratedClock } from '../../src/runtime/index.ts';

/** The operator as `main.ts` starts it, with policy time that runs `SPEED` times as fast. The lease and the deadlines of the transport are in real time. */
const ending = new AbortController();
process.once('SIGTERM', () => ending.abort(new Error('SIGTERM')));
const terminal = { stdout: process.stdout, stderr: process.stderr, signal: ending.signal };
process.exitCode = await runOperator(
  process.argv.slice(2),
  terminal,
  acceleratedClock(Number(process.env['SPEED'])),
);
