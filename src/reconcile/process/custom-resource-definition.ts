import * as z from 'zod';
import { apiGroup } from '../../resources/api-group.ts';
import { resourceKey, sharedRead, type KubernetesClient, type ResourceKey, type ResourceType } from '../../runtime/index.ts';
import { perKind, resourceTypes, type Kind } from '../../resources/managed-object.ts';

const metadata = z.object({ name: z.string(), uid: z.string(), resourceVersion: z.string(), deletionTimestamp: z.string().optional() });
const definition = z.object({ metadata });

/** Our own CRDs, of which only one thing matters: whether one is being deleted, and all objects of its kind with it. */
export type CustomResourceDefinition = z.infer<typeof definition>;

export const customResourceDefinitions: ResourceType<CustomResourceDefinition> = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  plural: 'customresourcedefinitions',
  kind: 'CustomResourceDefinition',
  parse: (value) => definition.parse(value),
};

/** Reads the CRD of a kind as it is now: never as it was before somebody asked. Many who ask at once share a read. */
export type DefinitionReader = (kind: Kind) => Promise<CustomResourceDefinition | undefined>;

export function definitionReader(kubernetes: KubernetesClient): DefinitionReader {
  const readers = perKind((kind) => sharedRead(() => kubernetes.get(customResourceDefinitions, definitionKey(kind))));
  return (kind) => readers(kind)();
}

/** Where the CRD of a kind is. */
export function definitionKey(kind: Kind): ResourceKey {
  return resourceKey(undefined, `${resourceTypes[kind].plural}.${apiGroup}`);
}
