import type { TestProject } from 'vitest/node';
import { terminalProgress } from '../control-plane/progress.ts';
import startControlPlane from '../control-plane/vitest-setup.ts';
import { gitopsPrograms, type GitopsPrograms } from './programs.ts';

declare module 'vitest' {
  interface ProvidedContext {
    readonly gitopsPrograms: GitopsPrograms;
  }
}

/** Builds the GitOps tools, and starts the control plane that all tests of a run share. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  project.provide('gitopsPrograms', await gitopsPrograms(terminalProgress(process.stderr)));
  return startControlPlane(project);
}
