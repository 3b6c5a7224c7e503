import { randomBytes } from 'node:crypto';
import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, inject, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import * as z from 'zod';
import { loadConfig } from '../../src/config/config.ts';
import { kubectl } from '../control-plane/kubectl.ts';
import { chart, helm } from '../support/helm.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { pages, yamlBlocks } from '../unit/docs/pages.ts';

const controlPlane = inject('controlPlane');

const manifest = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({ name: z.string(), namespace: z.string().optional() }),
});
/** Kinds of tools that are missing here, and kinds of files for kustomize and for the API server's audit log. */
const ofOthers =
  /^(?:[a-z.]+\.fluxcd\.io|argoproj\.io|servicebinding\.io|sharding\.timebertt\.dev|audit\.k8s\.io|kustomize\.config\.k8s\.io)\//u;
/** A part of an object that a page shows alone. */
const part = 'data';

/** The documents in the YAML blocks of a page. @throws if a block is no YAML */
function documents(text: string): readonly unknown[] {
  return yamlBlocks(text).flatMap((block) =>
    parseAllDocuments(block).map((document) => {
      expect({ block, errors: document.errors }).toEqual({ block, errors: [] });
      return document.toJS() as unknown;
    }),
  );
}

const all = pages.flatMap(({ path, text }) =>
  documents(text).map((document) => ({ path, document })),
);

test('the API server accepts every manifest of the pages', async () => {
  const namespace = `t-${randomBytes(4).toString('hex')}`;
  expect((await kubectl(controlPlane, ['create', 'namespace', namespace])).code).toBe(0);
  const objects = all.flatMap(({ document }) => {
    const { success, data } = manifest.safeParse(document);
    if (!success || ofOthers.test(data.apiVersion)) return [];
    const { metadata } = data;
    return [
      {
        ...data,
        metadata: metadata.namespace === undefined ? metadata : { ...metadata, namespace },
      },
    ];
  });
  const args = [
    'apply',
    '--server-side',
    '--force-conflicts',
    '--dry-run=server',
    '--namespace',
    namespace,
    '-f',
    '-',
  ];
  const applied = await kubectl(controlPlane, args, {
    // Without the first mark, kubectl 1.31 takes the input for JSON alone.
    input: objects.map((object) => `---\n${JSON.stringify(object)}\n`).join(''),
  });
  // Some pages show only the fields that they are about.
  const noSize = /^Warning: .*'managed-db-warnings'.*spec has no size.*\n/gmu;
  expect({ ...applied, stderr: applied.stderr.replaceAll(noSize, '') }).toMatchObject({
    code: 0,
    stderr: '',
  });
  expect(objects.length).toBeGreaterThan(20);
});

const deployment = z.object({
  kind: z.literal('Deployment'),
  spec: z.object({
    template: z.object({
      spec: z.object({
        containers: z.tuple([z.object({ image: z.string(), args: z.array(z.string()) })]),
      }),
    }),
  }),
});

test('the kustomization of the install page sets image and flag, and the API server accepts what it builds', async () => {
  const install = pages.find(({ path }) => path === 'docs/install.md')?.text ?? '';
  const blocks = yamlBlocks(install).filter((block) =>
    block.includes('apiVersion: kustomize.config.k8s.io/'),
  );
  await using folder = await temporaryFolder();
  await cp(fileURLToPath(new URL('../../deploy', import.meta.url)), join(folder.path, 'deploy'), {
    recursive: true,
  });
  // Another cloud than that of install.yaml, or the flag would change nothing.
  await writeFile(
    join(folder.path, 'kustomization.yaml'),
    blocks.join('').replace('//api.example.com', '//cloud.example.net'),
  );
  const built = await kubectl(controlPlane, ['kustomize', folder.path]);
  expect(built).toMatchObject({ code: 0, stderr: '' });
  const [container] = parseAllDocuments(built.stdout)
    .flatMap((document) => deployment.safeParse(document.toJS()).data ?? [])
    .flatMap(({ spec }) => spec.template.spec.containers);
  expect(container?.image).toBe('registry.example.com/managed-db-operator:0.1.0');
  expect(loadConfig(container?.args ?? [], {})).toHaveProperty(
    'config.cloudUrl.href',
    'https://cloud.example.net/',
  );
  const args = ['apply', '--server-side', '--force-conflicts', '--dry-run=server', '-f', '-'];
  expect(await kubectl(controlPlane, args, { input: built.stdout })).toMatchObject({
    code: 0,
    stderr: '',
  });
});

test('Helm accepts every piece of values of the pages', { timeout: 120_000 }, async () => {
  const pieces = all.flatMap(({ path, document }) => {
    const values = z.record(z.string(), z.unknown()).parse(document);
    return 'apiVersion' in values || part in values ? [] : [{ path, values }];
  });
  for (const { path, values } of pieces) {
    const set = z
      .looseObject({ config: z.looseObject({ cloudUrl: z.string().optional() }).optional() })
      .parse(values);
    const url =
      set.config?.cloudUrl === undefined
        ? ['--set', 'config.cloudUrl=https://api.example.com']
        : [];
    expect({
      path,
      ...(await helm(controlPlane, ['template', 'managed-db-operator', chart, ...url], values)),
    }).toMatchObject({
      path,
      code: 0,
      stderr: '',
    });
  }
  expect(pieces.length).toBeGreaterThan(4);
});
