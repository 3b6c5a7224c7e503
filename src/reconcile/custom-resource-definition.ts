import * as z from 'zod';
import type { ResourceType } from '../runtime/kubernetes-object.ts';

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
