import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';
import type { ControlPlaneHandle } from './control-plane.ts';
import { startControlPlane } from './control-plane.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The control plane that all tests of a run share, with our CustomResourceDefinitions. */
    controlPlane: ControlPlaneHandle;
  }
}

/** Starts one control plane for the whole run. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const crds = fileURLToPath(new URL('../../crds', import.meta.url));
  const controlPlane = await startControlPlane(existsSync(crds) ? { crds } : {});
  project.provide('controlPlane', controlPlane.handle);
  return () => controlPlane.stop();
}
