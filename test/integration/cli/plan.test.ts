import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { plan, type Edit } from '../../../src/cli/plan/plan.ts';
import { readSnapshot } from '../../../src/cli/read/snapshot.ts';
import { cloudClient } from '../../../src/cloud/cloud-client.ts';
import { isKind, resourceTypes } from '../../../src/resources/managed-object.ts';
import { resourceKey } from '../../../src/runtime/index.ts';
import { defaultOptions } from '../../support/default-options.ts';
import { ledgerNamespace, startWorld, type World } from '../../support/world.ts';

const silent = {
  debug: () => undefined,
  info: () => undefined,
  warn: (f: object, m: string) => console.log(m, f),
  error: (f: object, m: string) => console.log(m, f),
};

async function planned(world: World, edits: readonly Edit[], also = false) {
  const settings = {
    ledgerNamespace,
    namespaces: [world.namespace],
    operatorCredentialsNamespaces: ['*'],
    options: defaultOptions,
    database: { user: 'postgres', name: 'postgres' },
  };
  const snapshot = await readSnapshot(world.kubernetes, settings);
  const clients = new Map<string, ReturnType<typeof cloudClient>>();
  const openKey = (key: string) => {
    const client = clients.get(key) ?? cloudClient({ baseUrl: new URL(world.simulator.url), apiKey: key });
    clients.set(key, client);
    return client;
  };
  return plan(
    {
      snapshot,
      live: world.kubernetes,
      openKey,
      settings,
      ownKey: world.project.apiKey,
      log: silent,
      edits,
      also: () => also,
      now: Date.now(),
    },
    AbortSignal.timeout(60_000),
  );
}

const stored = z.looseObject({ kind: z.string(), metadata: z.looseObject({ name: z.string(), namespace: z.string() }) });

/** The edit that `kubectl apply` would make. */
async function applied(world: World, manifest: object): Promise<Edit> {
  const { stdout, stderr } = await world.kubectl(
    ['apply', '--dry-run=server', '-o', 'json', '-f', '-', '-n', world.namespace],
    JSON.stringify(manifest),
  );
  if (stdout === '') throw new Error(stderr);
  const object = stored.parse(JSON.parse(stdout));
  const { kind } = object;
  if (!isKind(kind)) throw new Error(kind);
  return {
    type: 'apply',
    resource: resourceTypes[kind],
    object,
    of: { kind, key: resourceKey(object.metadata.namespace, object.metadata.name) },
  };
}

const service = (spec: object, name = 'orders') => ({
  apiVersion: 'managed-db.io/v1alpha1',
  kind: 'ManagedService',
  metadata: { name },
  spec,
});

test('a resize with another environment is planned as two steps in order', async () => {
  await using world = await startWorld({ start: true });
  const manifest = service({ regionCode: 'eu-central-1', cpuMillis: 2000, memoryGbs: 8, environment: 'DEV' });
  await world.applyUntilReady(manifest);
  const before = [...world.project.commits];
  const edit = await applied(world, service({ regionCode: 'eu-central-1', cpuMillis: 4000, memoryGbs: 16, environment: 'PROD' }));
  const began = performance.now();
  const plans = await planned(world, [edit]);
  console.log(performance.now() - began, JSON.stringify(plans, null, 1));
  expect(plans.map(({ steps }) => steps.map(({ text }) => text))).toEqual([
    ['resize 2000m/8GB -> 4000m/16GB', 'set the environment DEV -> PROD'],
  ]);
  expect([...world.project.commits]).toEqual(before);
  void pause;
});
