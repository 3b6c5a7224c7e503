import * as z from 'zod';
import { apiGroup, apiVersion } from '../src/resources/api-group.ts';
import { unseenConditions } from '../src/resources/condition.ts';
import type { Definition } from '../src/resources/schema/definition.ts';
import { toStructural, type StructuralSchema } from '../src/resources/schema/to-structural.ts';

/** The CustomResourceDefinition of a kind, as an object for YAML. */
export function customResourceDefinition(definition: Definition): object {
  const { kind, plural, singular, shortName, rootRules } = definition;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${apiGroup}` },
    spec: {
      group: apiGroup,
      scope: 'Namespaced',
      names: {
        kind,
        listKind: `${kind}List`,
        plural,
        singular,
        shortNames: [shortName],
        categories: ['managed-db'],
      },
      versions: [
        {
          name: apiVersion,
          served: true,
          storage: true,
          subresources: { status: {} },
          additionalPrinterColumns: definition.columns.map(({ name, type, jsonPath, wide }) => ({
            name,
            type,
            jsonPath,
            ...(wide ? { priority: 1 } : {}),
          })),
          schema: {
            openAPIV3Schema: {
              type: 'object',
              description: definition.description,
              ...(definition.spec instanceof z.ZodDefault ? {} : { required: ['spec'] }),
              ...(rootRules.length > 0 ? { 'x-kubernetes-validations': rootRules } : {}),
              properties: {
                apiVersion: { type: 'string' },
                kind: { type: 'string' },
                metadata: { type: 'object' },
                spec: toStructural(definition.spec),
                status: statusSchema(definition),
              },
            },
          },
        },
      ],
    },
  };
}

/**
 * The schema of status. It keeps unknown fields, so that a newer operator's status is accepted. Its default makes clients that wait for Ready keep waiting
 * for an object that no operator has seen.
 */
function statusSchema({ status }: Definition): StructuralSchema {
  const schema = lenient(toStructural(status));
  return {
    ...schema,
    description: 'What the operator last saw and did.',
    default: { conditions: unseenConditions },
    properties: { ...schema.properties, conditions: conditionsSchema(schema) },
  };
}

/** The schema without required fields and enums, and with unknown fields kept. Otherwise values of a newer operator would block its status, or get lost. */
function lenient({
  enum: _words,
  required: _required,
  ...schema
}: StructuralSchema): StructuralSchema {
  const { properties, items } = schema;
  if (items) return { ...schema, items: lenient(items) };
  if (!properties) return schema;
  const fields = Object.entries(properties).map(([name, field]): [string, StructuralSchema] => [
    name,
    lenient(field),
  ]);
  return {
    ...schema,
    properties: Object.fromEntries(fields),
    'x-kubernetes-preserve-unknown-fields': true,
  };
}

/** The conditions of metav1, with its limits. */
function conditionsSchema(status: StructuralSchema): StructuralSchema {
  const description = status.properties?.['conditions']?.description;
  return {
    type: 'array',
    ...(description === undefined ? {} : { description }),
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['type'],
    items: {
      type: 'object',
      required: ['type', 'status', 'reason', 'message', 'lastTransitionTime'],
      properties: {
        type: { type: 'string', maxLength: 316 },
        status: { type: 'string', enum: ['True', 'False', 'Unknown'] },
        reason: { type: 'string', maxLength: 1024 },
        message: { type: 'string', maxLength: 32_768 },
        lastTransitionTime: { type: 'string', format: 'date-time' },
        observedGeneration: { type: 'integer', format: 'int64', minimum: 0 },
      },
    },
  };
}
