import * as z from 'zod';
import { secretsWithData } from '../../../src/resources/connection-secret.ts';
import {
  annotations as ourAnnotations,
  cloudResourceFinalizer,
} from '../../../src/resources/annotations.ts';
import { KubernetesError, resourceKey, type ResourceType } from '../../../src/runtime/index.ts';
import { worldTypes, type World } from '../../support/world.ts';
import { kindOf, type Hands, type Name, type SecretHarm, type Spec } from './life.ts';
import type { Tenant } from './tenant.ts';

const texts = z.record(z.string(), z.string());
const anyObject = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({
    name: z.string(),
    namespace: z.string(),
    uid: z.string(),
    resourceVersion: z.string(),
    generation: z.number(),
    deletionTimestamp: z.string().optional(),
    annotations: texts.optional(),
    finalizers: z.array(z.string()).optional(),
  }),
  spec: z.record(z.string(), z.unknown()),
  status: z
    .looseObject({
      id: z.string().optional(),
      serviceId: z.string().optional(),
      vpcId: z.string().optional(),
      binding: z.object({ name: z.string() }).optional(),
      conditions: z
        .array(
          z.looseObject({
            type: z.string(),
            status: z.string(),
            reason: z.string(),
            message: z.string(),
            observedGeneration: z.number().optional(),
          }),
        )
        .optional(),
    })
    .optional(),
});
export type AnyObject = z.infer<typeof anyObject>;

const loose = (type: ResourceType<unknown>): ResourceType<AnyObject> => ({
  ...type,
  parse: (value) => anyObject.parse(value),
});

function typed(name: Name): ResourceType<AnyObject> {
  return loose(worldTypes[kindOf[name]]);
}

export type Told = 'done' | `skipped: ${string}` | `refused: ${string}`;

/**
 * The edits of people to objects and Secrets, as with kubectl: not coordinated with the operator, and refused
 * now and then. People have the role edit; a user who restores a backup or adopts a resource has more rights.
 */
export function people({ kubernetes: admin, namespace }: World, { kubernetes }: Tenant) {
  const keyOf = (name: string) => resourceKey(namespace, name);
  const get = (name: Name) => kubernetes.get(typed(name), keyOf(name));
  /** Reads and writes until no other write comes in between. */
  const rewrite = async (
    name: Name,
    make: (live: AnyObject) => object | undefined,
    by: Hands = 'tenant',
  ): Promise<Told> => {
    for (let tries = 0; tries < 10; tries++) {
      const live = await get(name);
      if (!live) return 'skipped: not there';
      const next = make(live);
      if (!next) return 'skipped: being deleted';
      const told = await attempt(() =>
        (by === 'admin' ? admin : kubernetes).replace(typed(name), keyOf(name), next),
      );
      if (told !== 'conflict') return told;
    }
    return 'skipped: others were faster';
  };
  const patchSecret = (name: string, patch: object) =>
    attempt(() => kubernetes.patch(secretsWithData, keyOf(name), patch));
  const deleteSecret = (name: string) =>
    attempt(() => kubernetes.delete(secretsWithData, keyOf(name)));

  return {
    get,
    edit: (name: Name, change: Spec, evenIfDeleted = false) =>
      rewrite(name, (live) => {
        if (live.metadata.deletionTimestamp && !evenIfDeleted) return undefined;
        const merged = Object.entries({ ...live.spec, ...change }).filter(
          ([, value]) => value !== null,
        );
        return { ...live, spec: Object.fromEntries(merged) };
      }),
    rest: (name: Name, spec: Spec) => rewrite(name, (live) => ({ ...live, spec })),
    replace: (name: Name, by: Hands) =>
      rewrite(
        name,
        ({ metadata, status: _status, ...live }) =>
          metadata.deletionTimestamp
            ? undefined
            : {
                ...live,
                metadata: {
                  name: metadata.name,
                  namespace: metadata.namespace,
                  resourceVersion: metadata.resourceVersion,
                },
              },
        by,
      ),
    annotate: async (name: Name, annotations: Readonly<Record<string, string | null>>) =>
      asTold(
        await attempt(() => admin.patch(typed(name), keyOf(name), { metadata: { annotations } })),
      ),
    strip: (name: Name, what: 'pointer' | 'finalizer', by: Hands) =>
      rewrite(
        name,
        ({ metadata, ...live }) => {
          if (metadata.deletionTimestamp) return undefined;
          const annotations = Object.fromEntries(
            Object.entries(metadata.annotations ?? {}).filter(
              ([key]) => key !== ourAnnotations.ledger,
            ),
          );
          return {
            ...live,
            metadata: {
              ...metadata,
              ...(what === 'pointer' ? { annotations } : { finalizers: [] }),
            },
          };
        },
        by,
      ),
    /** Deletes exactly the object that it has read. @returns that object, or the reason why not */
    async delete(name: Name): Promise<AnyObject | Told> {
      for (let tries = 0; tries < 10; tries++) {
        const live = await get(name);
        if (!live || live.metadata.deletionTimestamp) return 'skipped: not there, or going already';
        const { uid, resourceVersion } = live.metadata;
        const told = await attempt(() =>
          kubernetes.delete(typed(name), keyOf(name), { uid, resourceVersion }),
        );
        if (told === 'done') return live;
        if (told !== 'conflict') return told;
      }
      return 'skipped: others were faster';
    },
    async create(
      name: Name,
      spec: Spec,
      annotations: Readonly<Record<string, string>> = {},
    ): Promise<Told> {
      const { group, version, kind } = typed(name);
      const body = {
        apiVersion: `${group}/${version}`,
        kind,
        metadata: { name, annotations },
        spec,
      };
      const hands = Object.keys(annotations).length > 0 ? admin : kubernetes;
      const told = await attempt(() => hands.create(typed(name), namespace, body));
      return told === 'conflict' ? 'skipped: it is there' : told;
    },
    /** Releases a held key Secret in deletion by hand, and writes a new key. */
    async renewKey(apiKey: string): Promise<Told> {
      const name = 'key';
      const found = await admin.get(secretsWithData, keyOf(name));
      if (found?.metadata.deletionTimestamp)
        await patchSecret(name, { metadata: { finalizers: null } });
      return this.putSecret(name, { apiKey });
    },
    async putSecret(name: string, stringData: Readonly<Record<string, string>>): Promise<Told> {
      const body = { apiVersion: 'v1', kind: 'Secret', metadata: { name }, stringData };
      const told = await attempt(() => kubernetes.create(secretsWithData, namespace, body));
      return asTold(told === 'conflict' ? await patchSecret(name, { stringData }) : told);
    },
    async harmSecret(name: string, how: SecretHarm, password: string): Promise<Told> {
      switch (how) {
        case 'delete':
          return asTold(await deleteSecret(name));
        case 'unlabel':
          return asTold(
            await patchSecret(name, { metadata: { labels: { 'managed-db.io/connection': null } } }),
          );
        case 'unannotate':
          return asTold(await patchSecret(name, { metadata: { annotations: null } }));
        case 'strip':
          return asTold(await patchSecret(name, { metadata: { labels: null, annotations: null } }));
        case 'wipe':
          return asTold(await patchSecret(name, { data: { password: null } }));
        case 'edit':
          return asTold(await patchSecret(name, { stringData: { password } }));
        case 'rename': {
          const found = await kubernetes.get(secretsWithData, keyOf(name));
          if (!found) return 'skipped: not there';
          const { labels, annotations } = found.metadata;
          const metadata = { name: `${name}-renamed`, labels, annotations };
          const copy = {
            apiVersion: 'v1',
            kind: 'Secret',
            type: found.type,
            metadata,
            stringData: found.data,
          };
          await attempt(() => kubernetes.create(secretsWithData, namespace, copy));
          return asTold(await deleteSecret(name));
        }
      }
    },
    secrets: async () => (await kubernetes.list(secretsWithData, { namespace })).items,
  };
}
export type People = ReturnType<typeof people>;

/** The connection Secret that an object has, or would have. */
export function secretNameOf(name: Name, object: AnyObject | undefined): string {
  return (
    object?.status?.binding?.name ?? `${name}${kindOf[name] === 'replicaSet' ? '-replicas' : ''}-db`
  );
}

export function syncedOf(object: AnyObject | undefined) {
  return object?.status?.conditions?.find(({ type }) => type === 'Synced');
}

export function isReady(object: AnyObject | undefined): boolean {
  const ready = syncedOf(object);
  return (
    ready?.status === 'True' &&
    ready.observedGeneration === object?.metadata.generation &&
    !object?.metadata.deletionTimestamp
  );
}

export function isHeld(object: AnyObject): boolean {
  return object.metadata.finalizers?.includes(cloudResourceFinalizer) ?? false;
}

async function attempt(act: () => Promise<unknown>): Promise<Told | 'conflict'> {
  try {
    await act();
    return 'done';
  } catch (error) {
    if (!(error instanceof KubernetesError)) throw error;
    if (error.kind === 'conflict' || error.kind === 'alreadyExists') return 'conflict';
    if (error.kind === 'notFound') return 'skipped: not there';
    return `refused: ${error.message}`;
  }
}

function asTold(told: Told | 'conflict'): Told {
  return told === 'conflict' ? 'skipped: others were faster' : told;
}
