#!/usr/bin/env node
// The entry: looks at the Node that runs it before anything is parsed that needs a newer one. So it is plain JavaScript, of the oldest kind.
const needed = 24;
if (Number(process.versions.node.split('.')[0]) < needed) {
  process.stderr.write(
    'managed-db needs Node ' + needed + ' or newer, and this is ' + process.version + '. In a clone, npx brings one along.\n',
  );
  process.exitCode = 1;
} else {
  void import('./program.ts');
}
