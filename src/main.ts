/** The command line: which command is meant, and what ends it. What is not asked for is not loaded. */
const [command, ...rest] = process.argv.slice(2);
const ending = new AbortController();
// The demo goes with its terminal; what was started with nohup stays.
const signals = command === 'demo' ? (['SIGINT', 'SIGTERM', 'SIGHUP'] as const) : (['SIGINT', 'SIGTERM'] as const);
const ignore = () => undefined;
for (const signal of signals) {
  process.once(signal, () => {
    ending.abort(new Error(signal));
    // npm passes on what the terminal has sent already: only a later one is a second one, and ends the process as if nobody listened.
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
