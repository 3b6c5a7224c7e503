import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, inject, test } from 'vitest';
import * as z from 'zod';
import { resourceKey, type ResourceType } from '../../../src/runtime/kubernetes-object.ts';
import { kubeconfigFor, kubeconfigText } from '../../control-plane/kubeconfig.ts';
import { kubectl } from '../../control-plane/kubectl.ts';
import { freePort } from '../../control-plane/free-port.ts';
import { operatorProcess } from '../../support/operator-process.ts';
import { until } from '../../support/until.ts';
import { configMaps, shop } from './cluster.ts';

const runtime = new URL('../../../src/runtime/', import.meta.url);

/** The operator of the page, as a separate program, in a folder from which it finds its packages. */
async function operatorOfThePage() {
  const page = await readFile(new URL('README.md', runtime), 'utf8');
  const code = [...page.matchAll(/^```ts\n(.*?)^```$/gmsu)]
    .map(([, block = '']) => block)
    .join('\n');
  const folder = await mkdtemp(fileURLToPath(new URL('.readme-', import.meta.url)));
  const program = join(folder, 'operator.ts');
  await writeFile(program, code.replaceAll("from './", "from '../../../../src/runtime/"));
  return { folder, program, [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) };
}

async function kubeconfigFile(folder: string, server: string): Promise<string> {
  const { caData, adminToken: token } = inject('controlPlane');
  const file = join(folder, 'kubeconfig');
  await writeFile(file, kubeconfigText(kubeconfigFor({ server, caData }, { token })), {
    mode: 0o600,
  });
  return file;
}

const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'greetings.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { kind: 'Greeting', plural: 'greetings', singular: 'greeting' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        },
      },
    ],
  },
};
const greeting = z.looseObject({
  metadata: z.looseObject({ generation: z.number() }),
  status: z.object({ configMap: z.string(), observedGeneration: z.number() }).optional(),
});
const greetings: ResourceType<z.infer<typeof greeting>> = {
  group: 'example.com',
  version: 'v1',
  plural: 'greetings',
  kind: 'Greeting',
  parse: (value) => greeting.parse(value),
};

test('the operator of the README maintains a ConfigMap and a status for each object, and stops on a signal', async () => {
  const handle = inject('controlPlane');
  const applied = await kubectl(handle, ['apply', '-f', '-'], {
    input: JSON.stringify(definition),
  });
  expect(applied).toMatchObject({ code: 0 });
  await using there = await shop();
  const { client, namespace, key } = there;
  await using page = await operatorOfThePage();
  const environment = { KUBECONFIG: await kubeconfigFile(page.folder, handle.server) };
  await using operator = operatorProcess([], environment, page.program);
  const said = () => operator.stdout() + operator.stderr();
  const greet = (to: string) => ({
    apiVersion: 'example.com/v1',
    kind: 'Greeting',
    metadata: { name: 'monday', namespace },
    spec: { to },
  });
  const untilSays = (text: string) =>
    until(
      `the ConfigMap to say ${text}`,
      async () => (await client.get(configMaps, key('monday')))?.data?.['text'] === text,
      said,
    );

  await until('the kind to be served', () =>
    client.create(greetings, namespace, greet('world')).then(Boolean, () => false),
  );
  await untilSays('Hello, world!');
  const changed = await client.patch(greetings, key('monday'), { spec: { to: 'stranger' } });
  await untilSays('Hello, stranger!');
  await until(
    'the status to be about the last change',
    async () => {
      const found = await client.get(greetings, resourceKey(namespace, 'monday'));
      return (
        found?.status?.configMap === 'monday' &&
        found.status.observedGeneration === changed.metadata.generation
      );
    },
    said,
  );
  await client.delete(configMaps, key('monday'));
  await untilSays('Hello, stranger!');
  operator.kill('SIGTERM');
  expect(await operator.ended).toBe(0);
  expect(operator.stderr()).toBe('');
});

test('the operator of the README waits for an unreachable API server, and logs so', async () => {
  await using page = await operatorOfThePage();
  const environment = {
    KUBECONFIG: await kubeconfigFile(page.folder, `https://127.0.0.1:${await freePort()}`),
  };
  await using operator = operatorProcess([], environment, page.program);
  await until(
    'it to say what it waits for',
    () => operator.stderr().includes('the API server does not answer'),
    operator.stdout,
  );
  operator.kill('SIGTERM');
  expect(await operator.ended).toBe(0);
});

test('the operator of the README has no type error', async () => {
  await using page = await operatorOfThePage();
  const project = join(page.folder, 'tsconfig.json');
  await writeFile(
    project,
    JSON.stringify({ extends: '../../../../tsconfig.json', include: [], files: ['operator.ts'] }),
  );
  const tsc = fileURLToPath(
    import.meta.resolve('typescript/package.json').replace('package.json', 'bin/tsc'),
  );
  const checked = await promisify(execFile)(process.execPath, [tsc, '-p', project]).catch(
    (error: unknown) => error,
  );
  expect(checked).toMatchObject({ stdout: '' });
});
