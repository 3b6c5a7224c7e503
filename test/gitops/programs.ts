import { fileURLToPath } from 'node:url';
import { goProgram } from '../control-plane/go-program.ts';
import { terminalProgress } from '../control-plane/progress.ts';

/** How long a hook may take that builds a program. */
export const longestBuildMs = 40 * 60_000;

const build = (name: string, path: string) =>
  goProgram(
    {
      module: fileURLToPath(new URL(`go/${name}`, import.meta.url)),
      package: path,
      usually: '5 to 10 min',
    },
    terminalProgress(process.stderr),
  );

/**
 * The path of Flux's own kustomize-controller, unchanged.
 * @throws {Error} when there is no Go to build it with, or the build fails
 */
export const kustomizeController = () =>
  build('kustomize-controller', 'github.com/fluxcd/kustomize-controller');

/**
 * The path of a program around the sync engine and the Lua runtime of Argo CD.
 * @throws {Error} when there is no Go to build it with, or the build fails
 */
export const argocdEngine = () => build('argocd-engine', 'argocd-engine');
