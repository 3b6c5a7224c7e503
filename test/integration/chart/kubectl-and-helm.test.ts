import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import * as z from 'zod';
import { loadConfig } from '../../../src/config/config.ts';
import { startControlPlane, type ControlPlane } from '../../control-plane/control-plane.ts';
import { kubectl } from '../../control-plane/kubectl.ts';
import { chart, helm } from '../../support/helm.ts';
import { play } from '../../support/play.ts';
import { allBlocks, pages } from '../../unit/docs/pages.ts';

/**
 * A single Deployment, changed with kubectl and with Helm in the order of the pages. The test runs their
 * commands as written. No Pod runs.
 */

let plane: ControlPlane;
const namespace = 'managed-db-system';
const release = 'managed-db-operator';
const values = (more: object = {}) => ({
  crds: { install: false },
  policies: { install: false },
  tenantRoles: { create: false },
  config: { cloudUrl: 'https://api.example.com' },
  ...more,
});
const onChart = (command: readonly string[], given: object) =>
  helm(plane.handle, [...command, release, chart, '-n', namespace], given);
const scale = (replicas: number) =>
  kubectl(plane.handle, [
    'scale',
    '-n',
    namespace,
    `deployment/${release}`,
    `--replicas=${replicas}`,
  ]);

/** The commands in the block of a page that has these words. */
function commands(page: string, words: string): readonly string[] {
  const text = pages.find(({ path }) => path === `docs/${page}`)?.text ?? '';
  const block = allBlocks(text).find(({ content }) => content.includes(words))?.content ?? '';
  return block
    .trim()
    .split('\n')
    .map((line) => line.trim().replaceAll('$CHART', chart));
}

const typed = (command: string) => play(plane.handle, command);

const deployment = z.object({
  spec: z.object({
    replicas: z.number(),
    template: z.object({
      spec: z.object({
        containers: z.tuple([z.object({ args: z.array(z.string()), image: z.string() })]),
      }),
    }),
  }),
});
async function seen() {
  const { stdout } = await kubectl(plane.handle, [
    'get',
    '-n',
    namespace,
    `deployment/${release}`,
    '-o',
    'json',
  ]);
  const { replicas, template } = deployment.parse(JSON.parse(stdout)).spec;
  const [{ args, image }] = template.spec.containers;
  return { replicas, image, loaded: loadConfig(args, {}) };
}

beforeAll(async () => {
  plane = await startControlPlane({});
  await kubectl(plane.handle, ['create', 'namespace', namespace]);
});
afterAll(() => plane.stop());
beforeEach(async () => {
  const { code, stderr } = await onChart(['install'], values());
  if (code !== 0) throw new Error(stderr);
});
afterEach(() => helm(plane.handle, ['uninstall', release, '-n', namespace]));

test('the drill of the backup page starts an operator that only observes', async () => {
  await scale(0);
  const [patch = '', look = '', start = ''] = commands('backup.md', 'management-policy=Observe');
  await typed(patch);
  expect(await seen()).toMatchObject({
    replicas: 0,
    loaded: { config: { managementPolicy: 'Observe' } },
  });
  expect((await typed(look)).trimEnd().split('\n').at(-1)).toBe('--management-policy=Observe');
  await typed(start);
  expect(await seen()).toMatchObject({
    replicas: 1,
    loaded: { config: { managementPolicy: 'Observe' } },
  });
});

test('an upgrade starts what was scaled to 0; after another number Helm refuses it until that is scaled or taken back', async () => {
  const observing = values({ config: { ...values().config, managementPolicy: 'Observe' } });
  await scale(0);
  expect(await onChart(['upgrade'], values())).toMatchObject({ code: 0 });
  expect((await seen()).replicas).toBe(2);
  await scale(1);
  expect((await onChart(['upgrade'], observing)).stderr).toContain(
    'conflict with "kubectl" with subresource "scale"',
  );
  expect(await seen()).toMatchObject({
    replicas: 1,
    loaded: { config: { managementPolicy: 'Manage' } },
  });
  await scale(2);
  expect(await onChart(['upgrade'], observing)).toMatchObject({ code: 0 });
  await scale(1);
  expect(await onChart(['upgrade', '--force-conflicts'], observing)).toMatchObject({ code: 0 });
  expect(await seen()).toMatchObject({
    replicas: 2,
    loaded: { config: { managementPolicy: 'Observe' } },
  });
});

test('Helm stops and starts the operator with the commands of the install page', async () => {
  const [stop = '', start = ''] = commands('install.md', '--set replicas=0');
  await typed(stop);
  expect((await seen()).replicas).toBe(0);
  await typed(start);
  expect((await seen()).replicas).toBe(2);
});

test('Helm takes over from kubectl apply --server-side when it may force conflicts', async () => {
  const { stdout } = await onChart(['template'], values({ image: { repository: 'ours' } }));
  await helm(plane.handle, ['uninstall', release, '-n', namespace]);
  expect(
    await kubectl(plane.handle, ['apply', '--server-side', '-f', '-'], { input: stdout }),
  ).toMatchObject({ code: 0 });
  const refused = await onChart(['install', '--take-ownership'], values());
  expect(refused.stderr).toContain('conflict with "kubectl"');
  await helm(plane.handle, ['uninstall', release, '-n', namespace, '--ignore-not-found']);
  await kubectl(plane.handle, ['apply', '--server-side', '--force-conflicts', '-f', '-'], {
    input: stdout,
  });
  expect(
    await onChart(['install', '--take-ownership', '--force-conflicts'], values()),
  ).toMatchObject({ code: 0 });
  expect((await seen()).image).toBe('managed-db-operator:0.1.0');
});
