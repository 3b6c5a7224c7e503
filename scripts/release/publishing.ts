import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import type { Run } from './programs.ts';
import type { Facts, Hands } from './release.ts';

const metadata = z.object({ 'containerimage.digest': z.string().startsWith('sha256:') });

/** User and password of the registry. */
export interface Account {
  readonly user: string;
  readonly password: string;
}

/** The hands of a real release: docker builds the image for amd64 and arm64, and commands publish. */
export function publishing(run: Run, account: Account): Omit<Hands, 'step'> {
  return {
    run,
    publish: async (command, args) => void (await run(command, args)),
    logIn: async (host) => {
      const args = ['login', host, '--username', account.user, '--password-stdin'];
      await run('docker', args, { stdin: account.password });
      await run('helm', ['registry', ...args], { stdin: account.password });
    },
    pushImage: async (image, facts) => {
      const file = join(facts.folder, 'image', 'metadata.json');
      await run('mkdir', ['-p', join(facts.folder, 'image')]);
      await run('docker', ['buildx', 'create', '--use']);
      await run('docker', ['buildx', 'build', '.', ...imageFlags(image, facts, file)]);
      return metadata.parse(JSON.parse(await readFile(file, 'utf8')))['containerimage.digest'];
    },
  };
}

function imageFlags(image: string, facts: Facts, file: string): readonly string[] {
  const { version, home, revision } = facts;
  const output = `type=image,name=${image},push-by-digest=true,name-canonical=true,push=true`;
  const built = [`REVISION=${revision.slice(0, 12)}`, `VERSION=${version}`, `SOURCE=${home}`];
  const told = [`source=${home}`, `version=${version}`, `revision=${revision}`];
  return [
    `--output=${output}`,
    '--platform=linux/amd64,linux/arm64',
    '--sbom=true',
    '--provenance=mode=max',
    `--metadata-file=${file}`,
    ...built.map((each) => `--build-arg=${each}`),
    ...told.map((each) => `--annotation=index:org.opencontainers.image.${each}`),
  ];
}
