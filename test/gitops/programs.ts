import { fileURLToPath } from 'node:url';
import { goProgram } from '../control-plane/go-program.ts';
import type { Progress } from '../control-plane/progress.ts';

/** The paths of the GitOps tools that Go builds once into the cache. */
export interface GitopsPrograms {
  /** Flux's kustomize-controller, unchanged. */
  readonly kustomizeController: string;
  /** A program around the sync engine and the Lua runtime of Argo CD. */
  readonly argocdEngine: string;
}

const folder = (name: string) => fileURLToPath(new URL(`go/${name}`, import.meta.url));
const usually = '2 to 10 min';

/** @throws {Error} when there is no Go to build them with, or a build fails */
export async function gitopsPrograms(progress: Progress): Promise<GitopsPrograms> {
  // One after the other: each build uses all cores.
  const kustomizeController = await goProgram(
    {
      module: folder('kustomize-controller'),
      package: 'github.com/fluxcd/kustomize-controller',
      usually,
    },
    progress,
  );
  const argocdEngine = await goProgram(
    { module: folder('argocd-engine'), package: 'argocd-engine', usually },
    progress,
  );
  return { kustomizeController, argocdEngine };
}
