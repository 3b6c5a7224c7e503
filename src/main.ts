/** Chooses the command, loads only its modules, and ends it on a signal. */
const [command, ...rest] = process.argv.slice(2);
const ending = new AbortController();
// The demo also ends with its terminal (SIGHUP). Other commands started with nohup stay.
const signals =
  command === 'demo'
    ? (['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    : (['SIGINT', 'SIGTERM'] as const);
const ignore = () => undefined;
for (const signal of signals) {
  process.once(signal, () => {
    ending.abort(new Error(signal));
    // npm repeats a signal that the terminal has sent already. A later signal is a real second signal: it
    // ends the process at once.
    process.on(signal, ignore);
    setTimeout(() => process.off(signal, ignore), 500).unref();
  });
}
const terminal = { stdout: process.stdout, stderr: process.stderr, signal: ending.signal };

if (process.argv.includes('--version') || command === 'version') {
  const { version, versionLine } = await import('./operator/version.ts');
  process.stdout.write(`${versionLine(version)}\n`);
} else if (command === 'simulator') {
  const { runSimulator } = await import('./simulator/cli.ts');
  process.exitCode = await runSimulator(rest, terminal);
} else if (command === 'demo') {
  const { runDemo } = await import('./demo/demo.ts');
  process.exitCode = await runDemo(rest, terminal);
} else {
  const { runOperator } = await import('./operator/run-operator.ts');
  process.exitCode = await runOperator(process.argv.slice(2), terminal);
}
