import { containerMemory, heapFlags, refusalIn, volunteerForOutOfMemory } from './memory.ts';

/** The entry of the command line: ends a command on a signal, and gives its exit code to the shell. */
const ending = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    ending.abort(new Error(signal));
    // A request may hang for longer than a user waits: the signal then ends the process as without a handler.
    setTimeout(() => process.kill(process.pid, signal), 300).unref();
  });
}
// A reader such as `head` may close the pipe: the rest of the output is dropped, and the exit code stays.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

// The operator's clocks do not keep a process alive, so a command that only waits would end.
const alive = setInterval(() => undefined, 60_000);
// An early end of this process must not look like success.
process.exitCode = 1;
const memory = containerMemory();
if (memory) volunteerForOutOfMemory();
const refusal = memory && refusalIn(memory);
if (memory && !refusal && !heapFlags.every((each) => process.execArgv.includes(each)))
  // Does not return: this process becomes the program with a limit for its heap, and keeps its id and its terminal.
  process.execve?.(process.execPath, [
    process.execPath,
    ...heapFlags,
    ...process.execArgv,
    ...process.argv.slice(1),
  ]);
if (refusal) process.stderr.write(`Error: ${refusal}\n`);
else {
  const { runCommand } = await import('./application.ts');
  process.exitCode = await runCommand(process.argv.slice(2), {
    stdout: process.stdout,
    stderr: process.stderr,
    signal: ending.signal,
  });
}
clearInterval(alive);
