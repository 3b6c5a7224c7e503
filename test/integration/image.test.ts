import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import * as z from 'zod';
import { kubeconfigFor, kubeconfigText } from '../control-plane/kubeconfig.ts';
import { buildImage, type Image } from '../support/image.ts';
import { service } from '../support/manifests.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';
import { startWorld } from '../support/world.ts';

const dockerfile = await readFile(new URL('../../Dockerfile', import.meta.url), 'utf8');

/** Own mounts need root; every Linux has the other requirements. */
function cannotConfine(): string | undefined {
  try {
    execFileSync('unshare', ['--mount', '--propagation', 'private', 'setpriv', '--version'], {
      stdio: 'ignore',
    });
    return undefined;
  } catch {
    return 'unshare and setpriv of util-linux, and root, are needed to confine a process as a container does';
  }
}

/** As a container with readOnlyRootFilesystem, runAsUser, no capabilities, no new privileges, and an empty environment but for that of the image. */
function confined(image: Image, args: readonly string[]) {
  const variables = Object.entries(image.environment).map(([name, value]) => `${name}=${value}`);
  const user = `--reuid ${image.user} --regid ${image.user} --clear-groups --no-new-privs --bounding-set=-all --inh-caps=-all`;
  const script = `mount -o remount,ro,bind / && cd '${image.folder}' && ! touch /x 2>/dev/null && exec setpriv ${user} env -i "$@"`;
  const child = spawn(
    'unshare',
    [
      '--mount',
      '--propagation',
      'private',
      'sh',
      '-c',
      script,
      'sh',
      ...variables,
      ...image.entrypoint,
      ...args,
    ],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  const output = { text: '' };
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output.text += text));
  const ended = once(child, 'close').then(() => child.exitCode ?? child.signalCode);
  return {
    output,
    ended,
    pid: child.pid,
    stop: () => child.kill('SIGTERM'),
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

const why = cannotConfine();

test(`a container of the image needs no root, no privilege, no environment and no place to write${why ? ` (not tried: ${why})` : ''}`, async ({
  skip,
}) => {
  skip(why !== undefined, why);
  await using world = await startWorld({ start: false, speed: 1, latencyMs: 100 });
  await using folder = await temporaryFolder();
  const image = await buildImage(folder.path);
  expect(image.user).toBe(65_532);
  const [kubeconfig, key] = [join(folder.path, 'kubeconfig'), join(folder.path, 'apiKey')];
  await writeFile(
    kubeconfig,
    kubeconfigText(kubeconfigFor(inject('controlPlane'), { token: inject('operatorToken') })),
    { mode: 0o600 },
  );
  await writeFile(key, world.project.apiKey, { mode: 0o600 });
  for (const file of [kubeconfig, key]) await chown(file, image.user, image.user);
  await using operator = confined(image, [
    `--cloud-url=${world.simulator.url}`,
    `--namespaces=${world.namespace}`,
    '--operator-credentials-namespaces=*',
    '--kubeconfig=kubeconfig',
    '--api-key-file=apiKey',
    '--health-address=127.0.0.1:0',
    '--leader-elect=false',
  ]);
  await until(
    'the operator to work',
    () => operator.output.text.includes('the operator works'),
    () => operator.output.text,
  );
  const status = await readFile(`/proc/${operator.pid}/status`, 'utf8');
  expect(status).toMatch(/^Uid:\s+65532\s+65532\s+65532\s+65532$/mu);
  expect(status).toMatch(/^NoNewPrivs:\s+1$/mu);
  expect(status).toMatch(/^CapBnd:\s+0+$/mu);
  expect(await readFile(`/proc/${operator.pid}/environ`, 'utf8')).toBe('NODE_ENV=production\0');
  await world.applyUntilReady(service('orders'));
  operator.stop();
  expect(await operator.ended).toBe(0);
});

test('the image has the exact Node version that the tests run on', async () => {
  const text = await readFile(new URL('../../package.json', import.meta.url), 'utf8');
  const { node } = z
    .object({ devDependencies: z.object({ node: z.string() }) })
    .parse(JSON.parse(text)).devDependencies;
  expect(
    [...dockerfile.matchAll(/^FROM .*?node:(\S+?)-slim/gmu)].map(([, version]) => version),
  ).toEqual([node, node]);
});
