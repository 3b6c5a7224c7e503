import { mkdir, rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { nodePrograms } from '../test/control-plane/binaries.ts';
import { whileLocked } from '../test/control-plane/build-lock.ts';
import { ControlPlaneError } from '../test/control-plane/control-plane-error.ts';
import { terminalProgress } from '../test/control-plane/progress.ts';
import { cache, logs, state, temporary } from '../test/node/cache.ts';
import { makeGroups, removeGroups } from '../test/node/cgroups.ts';
import { namespacesLack, runInNamespaces } from '../test/node/namespaces.ts';
import { unpackPackages } from '../test/node/packages.ts';
import { argumentsOf } from './arguments.ts';

// Builds the image by the Dockerfile, and runs the operator's Pods on a real node: kubelet, kube-proxy, scheduler and containerd. All of it is
// in namespaces of its own, which end with this process. On the disk, it writes to the cache alone.
//
//     npm run test:node -- [-t NAME]

const { values } = argumentsOf('npm run test:node -- [-t NAME]', {
  testNamePattern: { type: 'string', short: 't' },
});
const filter = values.testNamePattern === undefined ? [] : ['-t', values.testNamePattern];
const missing = await namespacesLack();
if (missing !== undefined) {
  process.stderr.write(`npm run test:node needs ${missing}\n`);
  process.exit(1);
}
const progress = terminalProgress(process.stderr);
await mkdir(cache, { recursive: true });
await whileLocked(
  `${cache}.lock`,
  (holder) => progress.update(`waiting for process ${holder}, which runs these tests`),
  async () => {
    const folders = await nodePrograms(progress);
    await unpackPackages(progress);
    await removeState();
    await Promise.all([temporary, logs].map(async (folder) => mkdir(folder, { recursive: true })));
    await makeGroups();
    try {
      const inside = fileURLToPath(new URL('../test/node/inside.ts', import.meta.url));
      process.exitCode = await runInNamespaces([inside, ...filter], folders);
    } finally {
      await removeState();
      await removeGroups();
    }
  },
).catch((error: unknown) => {
  if (!(error instanceof ControlPlaneError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
});

async function removeState(): Promise<void> {
  await rm(state, { recursive: true, force: true, maxRetries: 20 });
}
