import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';
import type { ControlPlaneHandle } from './control-plane.ts';
import { startControlPlane } from './control-plane.ts';
import { install } from './install.ts';
import { serviceAccountToken } from './kubectl.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The control plane that all tests of a run share, with our CustomResourceDefinitions, roles and policies. */
    controlPlane: ControlPlaneHandle;
    /** Of the operator's ServiceAccount: tests run it with its own rights, so that a missing right is seen at once. */
    operatorToken: string;
  }
}

const folder = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

/** Starts a control plane for the whole run, with deploy/install.yaml. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const controlPlane = await startControlPlane({ crds: folder('crds') });
  const { handle } = controlPlane;
  await install(handle);
  project.provide('controlPlane', handle);
  project.provide(
    'operatorToken',
    await serviceAccountToken(handle, 'managed-db-system', 'managed-db-operator'),
  );
  return () => controlPlane.stop();
}
