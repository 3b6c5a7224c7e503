import { randomBytes } from 'node:crypto';
import { expect, inject, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import * as z from 'zod';
import { kubectl } from '../control-plane/kubectl.ts';
import { chart, helm } from '../support/helm.ts';
import { pages, yamlBlocks } from '../unit/docs/pages.ts';

const controlPlane = inject('controlPlane');

const manifest = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({ name: z.string(), namespace: z.string().optional() }),
});
/** Kinds of tools that are not here, and what is for kustomize alone. */
const ofOthers = /^(?:[a-z.]+\.fluxcd\.io|argoproj\.io|servicebinding\.io|kustomize\.config\.k8s\.io)\//u;
/** Parts of an object that a page shows alone. */
const parts = new Set(['data', 'healthCheckExprs']);

/** The documents in the blocks of YAML of a page. @throws where one is no YAML */
function documents(text: string): readonly unknown[] {
  return yamlBlocks(text).flatMap((block) =>
    parseAllDocuments(block).map((document) => {
      expect({ block, errors: document.errors }).toEqual({ block, errors: [] });
      return document.toJS() as unknown;
    }),
  );
}

const all = pages.flatMap(({ path, text }) => documents(text).map((document) => ({ path, document })));

test('the API server accepts every manifest of the pages', async () => {
  const namespace = `t-${randomBytes(4).toString('hex')}`;
  expect((await kubectl(controlPlane, ['create', 'namespace', namespace])).code).toBe(0);
  const objects = all.flatMap(({ document }) => {
    const { success, data } = manifest.safeParse(document);
    if (!success || ofOthers.test(data.apiVersion)) return [];
    const { metadata } = data;
    return [{ ...data, metadata: metadata.namespace === undefined ? metadata : { ...metadata, namespace } }];
  });
  const args = ['apply', '--server-side', '--force-conflicts', '--dry-run=server', '--namespace', namespace, '-f', '-'];
  const applied = await kubectl(controlPlane, args, { input: objects.map((object) => JSON.stringify(object)).join('\n---\n') });
  expect(applied).toMatchObject({ code: 0, stderr: '' });
  expect(objects.length).toBeGreaterThan(20);
});

test('Helm accepts every piece of values of the pages', { timeout: 120_000 }, async () => {
  const pieces = all.flatMap(({ path, document }) => {
    const values = z.record(z.string(), z.unknown()).parse(document);
    return 'apiVersion' in values || Object.keys(values).some((key) => parts.has(key)) ? [] : [{ path, values }];
  });
  for (const { path, values } of pieces) {
    const set = z.looseObject({ config: z.looseObject({ cloudUrl: z.string().optional() }).optional() }).parse(values);
    const url = set.config?.cloudUrl === undefined ? ['--set', 'config.cloudUrl=https://api.example.com'] : [];
    expect({ path, ...(await helm(controlPlane, ['template', 'managed-db-operator', chart, ...url], values)) }).toMatchObject({
      path,
      code: 0,
      stderr: '',
    });
  }
  expect(pieces.length).toBeGreaterThan(4);
});
