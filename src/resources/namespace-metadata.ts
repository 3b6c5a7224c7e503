import * as z from 'zod';
import { namespaceAnnotations } from './annotations.ts';
import { textsNamed } from './stored-object.ts';

const namespace = z.object({
  metadata: z.object({
    name: z.string(),
    uid: z.string(),
    resourceVersion: z.string(),
    annotations: textsNamed(new Set(Object.values(namespaceAnnotations))).optional(),
  }),
});

/** The metadata of a Namespace, with the annotations that have rules for changes in it. */
export type NamespaceMetadata = z.infer<typeof namespace>;

/** Of each Namespace, a cache keeps only its name, its version and its rules: a cluster may have thousands. */
export const namespaceMetadata = {
  group: '',
  version: 'v1',
  plural: 'namespaces',
  kind: 'Namespace',
  metadataOnly: true,
  parse: (value: unknown): NamespaceMetadata => namespace.parse(value),
} as const;
