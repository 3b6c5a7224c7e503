import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { stringify } from 'yaml';
import { chart, helm } from '../../support/helm.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

test('the chart is a dependency of an umbrella chart, which hands it global values and may switch it off', async () => {
  await using umbrella = await temporaryFolder();
  const dependency = {
    name: 'managed-db-operator',
    version: '*',
    repository: `file://${chart}`,
    condition: 'managed-db-operator.enabled',
  };
  const description = {
    apiVersion: 'v2',
    name: 'platform',
    version: '1.0.0',
    dependencies: [dependency],
  };
  await writeFile(join(umbrella.path, 'Chart.yaml'), stringify(description));
  expect(await helm(inject('controlPlane'), ['dependency', 'update', umbrella.path])).toMatchObject(
    { code: 0 },
  );
  const render = (enabled: boolean) =>
    helm(
      inject('controlPlane'),
      ['template', 'platform', umbrella.path, '--namespace', 'managed-db-system'],
      {
        global: { imageRegistry: 'registry.example.com' },
        'managed-db-operator': { enabled, config: { cloudUrl: 'https://api.example.com' } },
      },
    );
  const [on, off] = [await render(true), await render(false)];
  expect(on).toMatchObject({ stderr: '', code: 0 });
  expect(on.stdout).toContain('name: "platform-managed-db-operator"\n');
  expect(off).toEqual({ stdout: '\n', stderr: '', code: 0 });
});
