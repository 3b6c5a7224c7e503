import { apiGroup, apiVersion } from '../../resources/api-group.ts';
import { specSchema } from '../../resources/definitions.ts';
import {
  perKind,
  resourceTypes,
  type Kind,
  type ManagedObject,
} from '../../resources/managed-object.ts';
import { missingFields, servedSchema } from '../../resources/schema/missing-fields.ts';
import { listed } from '../step/short-message.ts';
import {
  resourceKey,
  sharedRead,
  type Clock,
  type KubernetesClient,
  type ObjectCache,
  type ResourceKey,
  type ResourceType,
} from '../../runtime/index.ts';
import * as z from 'zod';

const metadata = z.object({
  name: z.string(),
  uid: z.string(),
  resourceVersion: z.string(),
  deletionTimestamp: z.string().optional(),
});
const version = z.object({
  name: z.string(),
  schema: z.object({ openAPIV3Schema: servedSchema }).optional(),
});
const definition = z.object({ metadata, spec: z.object({ versions: z.array(version) }) });

/** Whether the CRD is being deleted, with all objects of its kind, and which fields the API server keeps. */
export type CustomResourceDefinition = z.infer<typeof definition>;

/** The resource type of CRDs. Its parser reads only the fields that the operator needs. */
export const customResourceDefinitions: ResourceType<CustomResourceDefinition> = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  plural: 'customresourcedefinitions',
  kind: 'CustomResourceDefinition',
  parse: (value) => definition.parse(value),
};

/**
 * Reads the current CRD of a kind. Callers share a read that began after their calls.
 * @param deleted an object in deletion, as the cache has it. Then an earlier read also counts if it is at most two
 *   seconds old and began after the cache got this version of the object: a CRD is deleted before its objects
 * @throws if the CRD is older than the operator: the caller must not act on the objects
 */
export type DefinitionReader = (
  kind: Kind,
  deleted?: ManagedObject,
) => Promise<CustomResourceDefinition | undefined>;

/** A CRD is large: hundreds of deletions share a read of it, and no worker waits for a read that proves nothing new. */
const freshMs = 2_000;

/**
 * Makes the reader of the CRD of a kind.
 * @param caches the objects of all kinds
 * @param clock policy time
 * @param onOutdated takes the description of a CRD that is older than the operator
 */
export function definitionReader(
  kubernetes: Pick<KubernetesClient, 'get'>,
  caches: readonly ObjectCache<ManagedObject>[],
  clock: Pick<Clock, 'now'>,
  onOutdated: (why: string) => void,
): DefinitionReader {
  const read = async (kind: Kind) => {
    const found = await kubernetes.get(customResourceDefinitions, definitionKey(kind));
    const why = found && describeOutdated(kind, found);
    if (why === undefined) return found;
    onOutdated(why);
    throw new Error(why);
  };
  const seenAt = deletionsSeenIn(caches, clock);
  const readers = perKind((kind) => {
    let last: Reading | undefined;
    const readAnew = sharedRead(() => {
      const reading = { begunAt: clock.now(), answer: read(kind) };
      last = reading;
      reading.answer.catch(() => {
        if (last === reading) last = undefined;
      });
      return reading.answer;
    });
    return (deleted?: ManagedObject) => {
      const notBefore = Math.max(
        (deleted && seenAt.get(deleted)) ?? Infinity,
        clock.now() - freshMs,
      );
      return last && last.begunAt >= notBefore ? last.answer : readAnew();
    };
  });
  return (kind, deleted) => readers(kind)(deleted);
}

/** A read of a CRD. */
interface Reading {
  readonly begunAt: number;
  readonly answer: Promise<CustomResourceDefinition | undefined>;
}

/** The policy times at which the caches got each version of an object in deletion. */
function deletionsSeenIn(
  caches: readonly ObjectCache<ManagedObject>[],
  clock: Pick<Clock, 'now'>,
): Pick<WeakMap<ManagedObject, number>, 'get'> {
  const seenAt = new WeakMap<ManagedObject, number>();
  const note = (object: ManagedObject) => {
    if (object.metadata.deletionTimestamp !== undefined) seenAt.set(object, clock.now());
  };
  for (const cache of caches) {
    for (const object of cache.values()) note(object);
    cache.onChange(({ object }) => note(object));
  }
  return seenAt;
}

/** The key of the CRD of a kind. */
export function definitionKey(kind: Kind): ResourceKey {
  return resourceKey(undefined, `${resourceTypes[kind].plural}.${apiGroup}`);
}

/** The advice to install the CRDs of this version. */
export const howToInstall =
  'set crds.install=true in an installation of the chart of this version, or run kubectl apply -f crds in a clone of it';

/** Says that the CRD of a kind is older than the operator, with the remedy. Undefined for the CRD of this version, or of a newer version. */
export function describeOutdated(
  kind: Kind,
  { spec }: CustomResourceDefinition,
): string | undefined {
  const served = spec.versions.find(({ name }) => name === apiVersion)?.schema?.openAPIV3Schema
    .properties?.['spec'];
  // The API server drops the fields that an older CRD does not have.
  const missing = missingFields(specSchema(kind), served, 'spec');
  if (missing.length === 0) return undefined;
  return `the CustomResourceDefinition ${definitionKey(kind)} is older than the operator, so that the API server drops ${listed(missing)}: ${howToInstall}`;
}
