import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { access, readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { buildBinaries } from './build.ts';
import type { Progress } from './progress.ts';

/** Paths of the programs that a control plane consists of. */
export interface Binaries {
  readonly etcd: string;
  readonly apiServer: string;
  readonly controllerManager: string;
  readonly kubectl: string;
  readonly helm: string;
}

const files: Readonly<Record<keyof Binaries, string>> = {
  etcd: 'etcd',
  apiServer: 'kube-apiserver',
  controllerManager: 'kube-controller-manager',
  kubectl: 'kubectl',
  helm: 'helm',
};

export type Program = keyof Binaries;
const all: readonly Program[] = ['etcd', 'apiServer', 'controllerManager', 'kubectl', 'helm'];

/**
 * The programs, each from the first of these that has it: `$KUBEBUILDER_ASSETS`, which setup-envtest fills with etcd, kube-apiserver and kubectl;
 * those built before, in `${XDG_CACHE_HOME:-~/.cache}/managed-db-operator/control-plane/<hash of go.mod>`; else they are built there now.
 * @param needed only these are sure to be there
 */
export async function resolveBinaries(progress: Progress, needed: readonly Program[] = all): Promise<Binaries> {
  const assets = process.env['KUBEBUILDER_ASSETS'];
  const built = inFolder(await cacheFolder());
  const given = assets ? inFolder(assets) : built;
  const found = { ...built };
  const missing: Program[] = [];
  for (const program of all) {
    if (await isThere(given[program])) found[program] = given[program];
    else if (needed.includes(program) && !(await isThere(built[program]))) missing.push(program);
  }
  if (missing.length > 0) {
    const names = missing.map((program) => files[program]);
    await buildBinaries(await cacheFolder(), names, progress);
  }
  return found;
}

/** Named after go.mod: another version of a program is another folder. */
async function cacheFolder(): Promise<string> {
  const goMod = await readFile(new URL('go.mod', import.meta.url));
  const hash = createHash('sha256').update(goMod).digest('hex').slice(0, 16);
  // An empty variable counts as unset, as the XDG specification has it.
  const cacheHome = process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache');
  return join(cacheHome, 'managed-db-operator', 'control-plane', hash);
}

function inFolder(folder: string): Record<Program, string> {
  return {
    etcd: join(folder, files.etcd),
    apiServer: join(folder, files.apiServer),
    controllerManager: join(folder, files.controllerManager),
    kubectl: join(folder, files.kubectl),
    helm: join(folder, files.helm),
  };
}

async function isThere(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
