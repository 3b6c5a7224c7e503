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

const names: Binaries = {
  etcd: 'etcd',
  apiServer: 'kube-apiserver',
  controllerManager: 'kube-controller-manager',
  kubectl: 'kubectl',
  helm: 'helm',
};

/**
 * The programs, in this order: those in `$KUBEBUILDER_ASSETS`; those built before, in
 * `${XDG_CACHE_HOME:-~/.cache}/managed-db-operator/control-plane/<hash of go.mod>`; built there now.
 * `$KUBEBUILDER_ASSETS` as setup-envtest fills it has no controller manager and no helm: these two then come from the cache.
 */
export async function resolveBinaries(progress: Progress): Promise<Binaries> {
  const assets = process.env['KUBEBUILDER_ASSETS'];
  const given = assets ? inFolder(assets) : undefined;
  if (given && (await areThere([given.etcd, given.apiServer, given.kubectl]))) {
    if (await areThere([given.controllerManager, given.helm])) return given;
    const { controllerManager, helm } = await cached(progress);
    return { ...given, controllerManager, helm };
  }
  return cached(progress);
}

async function cached(progress: Progress): Promise<Binaries> {
  const folder = await cacheFolder();
  const binaries = inFolder(folder);
  if (!(await areThere(Object.values(binaries)))) await buildBinaries(folder, progress);
  return binaries;
}

/** Named after go.mod: another version of a program is another folder. */
async function cacheFolder(): Promise<string> {
  const goMod = await readFile(new URL('go.mod', import.meta.url));
  const hash = createHash('sha256').update(goMod).digest('hex').slice(0, 16);
  // An empty variable counts as unset, as the XDG specification has it.
  const cacheHome = process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache');
  return join(cacheHome, 'managed-db-operator', 'control-plane', hash);
}

function inFolder(folder: string): Binaries {
  return {
    etcd: join(folder, names.etcd),
    apiServer: join(folder, names.apiServer),
    controllerManager: join(folder, names.controllerManager),
    kubectl: join(folder, names.kubectl),
    helm: join(folder, names.helm),
  };
}

async function areThere(paths: readonly string[]): Promise<boolean> {
  const found = await Promise.allSettled(paths.map((path) => access(path, constants.X_OK)));
  return found.every(({ status }) => status === 'fulfilled');
}
