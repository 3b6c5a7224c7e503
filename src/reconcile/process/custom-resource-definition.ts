import * as z from 'zod';
import { apiGroup } from '../../resources/api-group.ts';
import { resourceKey, sharedRead, type KubernetesClient, type ResourceKey, type ResourceType } from '../../runtime/index.ts';
import { perKind, resourceTypes, type Kind } from '../../resources/managed-object.ts';

const metadata = z.object({ name: z.string(), uid: z.string(), resourceVersion: z.string(), deletionTimestamp: z.string().optional() });
const definition = z.object({ metadata });

/** A CRD of the operator. Only its deletion matters, since all objects of its kind would be deleted with it. */
export type CustomResourceDefinition = z.infer<typeof definition>;

export const customResourceDefinitions: ResourceType<CustomResourceDefinition> = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  plural: 'customresourcedefinitions',
  kind: 'CustomResourceDefinition',
  parse: (value) => definition.parse(value),
};

/** Reads the current CRD of a kind. Concurrent callers share a read that began after their calls. */
export type DefinitionReader = (kind: Kind) => Promise<CustomResourceDefinition | undefined>;

export function definitionReader(kubernetes: KubernetesClient): DefinitionReader {
  const readers = perKind((kind) => sharedRead(() => kubernetes.get(customResourceDefinitions, definitionKey(kind))));
  return (kind) => readers(kind)();
}

/** The name of a kind's CRD. */
export function definitionKey(kind: Kind): ResourceKey {
  return resourceKey(undefined, `${resourceTypes[kind].plural}.${apiGroup}`);
}
