/** `npm run control-plane`: keeps a control plane up until Ctrl-C and prints the variables for a shell. */
import { once } from 'node:events';
import { ControlPlaneError } from './control-plane-error.ts';
import { startControlPlane } from './control-plane.ts';
import { parentGone } from './parent-gone.ts';

const help = `npm run control-plane

Keeps a Kubernetes control plane up until Ctrl-C, or until whatever started it ends: etcd, API server and controller manager, on free ports of 127.0.0.1, with nothing installed in it. It runs no Pods.
The first start builds it, which takes some minutes and Go; $KUBEBUILDER_ASSETS names a folder that has it already. It takes no arguments.
`;

const [argument] = process.argv.slice(2);
if (argument !== undefined) {
  const isHelp = argument === '--help' || argument === '-h';
  if (isHelp) console.log(help);
  else console.error(`"${argument}" is not understood: npm run control-plane takes no arguments`);
  process.exit(isHelp ? 0 : 2);
}

const orphaned = parentGone();
try {
  await using controlPlane = await startControlPlane();
  const { kubeconfigPath, binDir, server } = controlPlane.handle;
  console.log(`export KUBECONFIG='${kubeconfigPath}'`);
  console.log(`export PATH='${binDir}':"$PATH"`);
  console.error(
    `A Kubernetes API server is up at ${server}. Paste the two lines into another terminal; Ctrl-C ends it here.`,
  );
  console.error(
    'It runs no Pods. The operator runs beside it as a process: docs/simulator.md, "Point the operator at it".',
  );
  await Promise.race([
    once(process, 'SIGINT'),
    once(process, 'SIGTERM'),
    once(process, 'SIGHUP'),
    orphaned,
  ]);
} catch (error) {
  if (!(error instanceof ControlPlaneError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
