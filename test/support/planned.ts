import * as z from 'zod';
import { plan, type Edit, type ObjectPlan } from '../../src/cli/plan/plan.ts';
import { readSnapshot } from '../../src/cli/read/snapshot.ts';
import { cloudClient } from '../../src/cloud/cloud-client.ts';
import {
  resourceTypes,
  type Kind,
  type ManagedObject,
} from '../../src/resources/managed-object.ts';
import {
  isConflict,
  KubernetesError,
  resourceKey,
  type ResourceType,
} from '../../src/runtime/index.ts';
import { defaultOptions } from './default-options.ts';
import { ledgerNamespace, type World } from './world.ts';

const silent = () => undefined;

/** The plan for these edits, in the cluster and the cloud of a world. Beside the edited objects, those of `also` are planned. */
export async function planned(
  world: World,
  edits: readonly Edit[],
  also: (object: ManagedObject) => boolean = () => false,
): Promise<readonly ObjectPlan[]> {
  const settings = {
    ledgerNamespace,
    namespaces: [world.namespace],
    operatorCredentialsNamespaces: ['*'],
    options: defaultOptions,
    database: { user: 'postgres', name: 'postgres' },
  };
  const snapshot = await readSnapshot(world.kubernetes, settings);
  await using client = cloudClient({
    baseUrl: new URL(world.simulator.url),
    apiKey: world.project.apiKey,
  });
  const log = { debug: silent, info: silent, warn: silent, error: silent };
  const cloud = { openKey: () => client, ownKey: world.project.apiKey };
  const input = {
    snapshot,
    live: world.kubernetes,
    settings,
    ...cloud,
    log,
    edits,
    also,
    now: world.clock.now(),
  };
  return await plan(input, AbortSignal.timeout(60_000));
}

/** A change of an object: its whole spec, or its deletion. */
export type Change = { readonly kind: Kind; readonly name: string } & (
  | { readonly spec: object }
  | { readonly isDeletion: true }
);

const raw = z.looseObject({ metadata: z.looseObject({}) });

/** Makes the change, or only asks for its result. Undefined if the API server refuses it. */
export async function changed(
  world: World,
  change: Change,
  dryRun: boolean,
): Promise<Edit | undefined> {
  for (;;) {
    try {
      return await changedOnce(world, change, dryRun);
    } catch (error) {
      if (error instanceof KubernetesError && error.isRefusal) return undefined;
      // The operator has written the object meanwhile.
      if (!isConflict(error)) throw error;
    }
  }
}

async function changedOnce(
  world: World,
  change: Change,
  dryRun: boolean,
): Promise<Edit | undefined> {
  const { kind, name } = change;
  const key = resourceKey(world.namespace, name);
  const type: ResourceType<z.infer<typeof raw>> = {
    ...resourceTypes[kind],
    parse: (value) => raw.parse(value),
  };
  const there = await world.kubernetes.get(type, key);
  if ('isDeletion' in change) {
    if (!there) return undefined;
    if (!dryRun) await world.kubernetes.delete(type, key);
    return { type: 'delete', kind, key };
  }
  const { group, version } = resourceTypes[kind];
  const manifest = {
    apiVersion: `${group}/${version}`,
    kind,
    metadata: { name },
    spec: change.spec,
  };
  const object = there
    ? await world.kubernetes.replace(type, key, { ...there, spec: change.spec }, { dryRun })
    : await world.kubernetes.create(type, world.namespace, manifest, { dryRun });
  return { type: 'apply', resource: type, object, of: { kind, key } };
}
