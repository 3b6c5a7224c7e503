import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import * as z from 'zod';
import { eventContent, leaseContent, namespaceContent, secretContent } from './built-in.ts';
import type { Contents } from './contents.ts';
import { customContent } from './custom.ts';
import type { Json } from './json.ts';
import { type Schema, schemaShape } from './schema.ts';
import { servedSchema } from '../../../src/resources/schema/missing-fields.ts';

/** A kind of object that the server has. */
export interface Kind {
  readonly group: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly plural: string;
  readonly isNamespaced: boolean;
  /** A kind of a CustomResourceDefinition: with generation, and with the subresource status. */
  readonly isCustom: boolean;
  /** A PUT creates an object that does not exist. */
  readonly isCreatedByPut: boolean;
  /** A PUT without resourceVersion replaces any version. */
  readonly isReplacedUnseen: boolean;
  /** A user can only read the objects. */
  readonly isReadOnly: boolean;
  readonly contents: Contents;
}

const definitionShape = z.looseObject({
  metadata: z.looseObject({ name: z.string() }),
  spec: z.looseObject({
    group: z.string(),
    names: z.looseObject({ kind: z.string(), plural: z.string() }),
    versions: z
      .array(
        z.looseObject({
          name: z.string(),
          schema: z.looseObject({ openAPIV3Schema: schemaShape }),
        }),
      )
      .length(1),
  }),
});

const readable = z.object({
  spec: z.looseObject({
    versions: z.array(z.looseObject({ schema: z.object({ openAPIV3Schema: servedSchema }) })),
  }),
});

const crds = new URL('../../../crds/', import.meta.url);

/** The CustomResourceDefinitions in crds/, as YAML has them. */
const definitions = ['managedvpcs', 'managedservices', 'readreplicasets'].map((plural) => {
  const content: unknown = parse(readFileSync(new URL(`${plural}.yaml`, crds), 'utf8'));
  return { shape: definitionShape.parse(content), content: z.json().parse(content) };
});

/** The definitions as objects, with the part of their schemas that the operator reads: the whole is long. */
export const definitionObjects: readonly { readonly name: string; readonly spec: Json }[] =
  definitions.map(({ shape, content }) => ({
    name: shape.metadata.name,
    spec: z.json().parse(readable.parse(content).spec),
  }));

function custom({ spec }: z.infer<typeof definitionShape>): Kind {
  const { group, names, versions } = spec;
  const schema: Schema = versions[0]?.schema.openAPIV3Schema ?? {};
  return {
    group,
    apiVersion: `${group}/${versions[0]?.name ?? ''}`,
    kind: names.kind,
    plural: names.plural,
    isNamespaced: true,
    isCustom: true,
    isCreatedByPut: false,
    isReplacedUnseen: false,
    isReadOnly: false,
    contents: customContent(schema, { group, kind: names.kind }),
  };
}

const builtIn = {
  group: '',
  apiVersion: 'v1',
  isNamespaced: true,
  isCustom: false,
  isCreatedByPut: false,
  isReplacedUnseen: true,
  isReadOnly: false,
} as const;

export const namespaces: Kind = {
  ...builtIn,
  kind: 'Namespace',
  plural: 'namespaces',
  isNamespaced: false,
  contents: namespaceContent,
};
export const customResourceDefinitions: Kind = {
  ...builtIn,
  group: 'apiextensions.k8s.io',
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  isNamespaced: false,
  isReadOnly: true,
  contents: { decode: (given) => given, validate: () => undefined },
};

export const customKinds: readonly Kind[] = definitions.map(({ shape }) => custom(shape));
export const kinds: readonly Kind[] = [
  ...customKinds,
  namespaces,
  customResourceDefinitions,
  { ...builtIn, kind: 'Secret', plural: 'secrets', contents: secretContent },
  {
    ...builtIn,
    kind: 'Event',
    plural: 'events',
    isCreatedByPut: true,
    contents: eventContent,
  },
  {
    ...builtIn,
    group: 'coordination.k8s.io',
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    plural: 'leases',
    isCreatedByPut: true,
    isReplacedUnseen: false,
    contents: leaseContent,
  },
];

/** The key of an object in the store. */
export function keyIn(kind: Kind, namespace: string | undefined, name: string): string {
  return kind.isNamespaced ? `${namespace ?? ''}/${name}` : name;
}
