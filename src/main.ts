/** The command line: which command is meant, and what ends it. What is not asked for is not loaded. */
const [command, ...rest] = process.argv.slice(2);
const ending = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => ending.abort(new Error(signal)));
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
