import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { whileLocked } from '../../test/control-plane/build-lock.ts';
import type { Progress } from '../../test/control-plane/progress.ts';
import { cache, state, temporary } from '../../test/node/cache.ts';
import { namespacesLack, runInNamespaces } from '../../test/node/namespaces.ts';
import { unpackPackages } from '../../test/node/packages.ts';
import type { Run } from './programs.ts';
import type { Facts, Hands } from './release.ts';

/** The hands of a dry run: the registry is on this machine, and the commands that publish are only printed. */
export function rehearsal(
  run: Run,
  pushImage: Hands['pushImage'],
  print: (line: string) => void,
): Omit<Hands, 'step'> {
  return {
    run,
    pushImage,
    // The registry of a dry run takes every push.
    logIn: async () => print('not in a dry run: docker login, helm registry login'),
    publish: async (command, args) => print(`not in a dry run: ${command} ${args.join(' ')}`),
  };
}

/**
 * Pushes an image for the platform of this machine, which buildah builds by the Dockerfile. Where that is impossible,
 * it pushes the bundle alone. The image has no SBOM and no provenance: only docker buildx makes these.
 */
export function imageOfRehearsal(
  run: Run,
  progress: Progress,
  print: (line: string) => void,
): Hands['pushImage'] {
  return async (image, facts) => {
    const lack = await namespacesLack();
    print('not in a dry run: SBOM and provenance of the image, which docker buildx makes');
    if (lack === undefined) return buildByDockerfile(image, facts, progress);
    print(`the image is the bundle alone: the build by the Dockerfile needs ${lack}`);
    return pushBundle(run, image, facts);
  };
}

async function buildByDockerfile(image: string, facts: Facts, progress: Progress): Promise<string> {
  const file = join(facts.folder, 'image-digest');
  const inside = fileURLToPath(new URL('image-inside.ts', import.meta.url));
  await mkdir(cache, { recursive: true });
  const onWait = (holder: string) =>
    progress.update(`waiting for process ${holder}, which has the images`);
  await whileLocked(`${cache}.lock`, onWait, async () => {
    await unpackPackages(progress);
    await rm(state, { recursive: true, force: true });
    await mkdir(temporary, { recursive: true });
    const labels = [`VERSION=${facts.version}`, `SOURCE=${facts.home}`];
    try {
      // A push by buildah needs a tag; the release adds the version later.
      const code = await runInNamespaces([inside, `${image}:untagged`, file, ...labels]);
      if (code !== 0) throw new Error('buildah could not build the image by the Dockerfile');
    } finally {
      await rm(state, { recursive: true, force: true, maxRetries: 20 });
    }
  });
  const digest = await readFile(file, 'utf8');
  await rm(file);
  return digest;
}

/** Pushes an image that has the bundle and nothing else, and returns its digest. */
export async function pushBundle(run: Run, image: string, facts: Facts): Promise<string> {
  const layer = join(facts.folder, 'bundle', 'layer.tar');
  const files = join(facts.folder, 'bundle');
  await run('tar', ['--create', '--file', layer, '--exclude=layer.tar', '-C', files, '.']);
  await run('crane', ['append', '--new_layer', layer, '--new_tag', `${image}:untagged`]);
  await rm(layer);
  return (await run('crane', ['digest', `${image}:untagged`])).trim();
}
