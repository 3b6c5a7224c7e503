#!/usr/bin/env node
// The entry: looks at the Node that runs it before anything is parsed that needs a newer one. So it is plain JavaScript, of the oldest kind.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const needed = 24;
// A link to this file is resolved by then.
const nodeOfClone = fileURLToPath(new URL('../../node_modules/node/bin/node', import.meta.url));

if (Number(process.versions.node.split('.')[0]) >= needed) {
  void import('./program.ts');
} else if (existsSync(nodeOfClone)) {
  const child = spawn(nodeOfClone, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], {
    stdio: 'inherit',
  });
  // A terminal sends Ctrl-C to both processes. The program ends, and this process after it.
  process.on('SIGINT', () => undefined);
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  child.once('exit', (code) => {
    process.exitCode = code === null ? 1 : code;
  });
} else {
  process.stderr.write(
    'managed-db needs Node ' +
      needed +
      ' or newer, and this is ' +
      process.version +
      '. In a clone, npm ci brings one along: run it there.\n',
  );
  process.exitCode = 1;
}
