/** `npm run control-plane`: keeps a control plane up until Ctrl-C and prints what a shell needs to use it. */
import { once } from 'node:events';
import { ControlPlaneError } from './control-plane-error.ts';
import { startControlPlane } from './control-plane.ts';

try {
  await using controlPlane = await startControlPlane();
  const { kubeconfigPath, binDir, server } = controlPlane.handle;
  console.log(`export KUBECONFIG='${kubeconfigPath}'`);
  console.log(`export PATH='${binDir}':"$PATH"`);
  console.error(`A Kubernetes API server is up at ${server}. Paste the two lines into another terminal; Ctrl-C ends it here.`);
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM'), once(process, 'SIGHUP')]);
} catch (error) {
  if (!(error instanceof ControlPlaneError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
