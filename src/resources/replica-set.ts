import * as z from 'zod';
import { age, changeWindowsColumn, ending, id, ready, secret, size, state } from './columns.ts';
import { checkedBy, fixed, fixedAtCreation, oneParent } from './rule.ts';
import {
  changeWindows,
  cloudIdText,
  cloudText,
  commonSpec,
  connectionPooler,
  connectionSecret,
  environment,
  largest,
  objectReference,
  wholeNumber,
} from './spec-fields.ts';
import {
  binding,
  commonStatus,
  connectionSecretVersion,
  endpoint,
  environmentTag,
  heldChanges,
  pooler,
} from './status.ts';
import { everyKind, storedObject, type StoredObject } from './stored-object.ts';

export const replicaSetSpec = z
  .object({
    ...commonSpec,
    name: cloudText(
      'Name in the cloud. Fixed at creation. Omitted: the name of this object and six characters that make it its own.',
    ),
    serviceRef: objectReference(
      'ManagedService in this namespace whose data the replicas show. Fixed at creation.',
    ).optional(),
    serviceId: cloudIdText(
      'Id of any other service. Fixed at creation. Needs credentials of your own or the right to adopt.',
    ),
    nodes: wholeNumber(1, 100).meta({
      description: 'Number of nodes. Fixed at creation.',
      ...checkedBy(
        fixedAtCreation({
          rule: 'self == oldSelf',
          message:
            'nodes is fixed at creation: create a second ReplicaSet with the new number, move the readers to its Secret, then delete this object',
        }),
      ),
    }),
    cpuMillis: wholeNumber(1, largest).describe('CPU of each node in millicores, such as 1000.'),
    memoryGbs: wholeNumber(1, largest).describe('Memory of each node in gigabytes, such as 4.'),
    environment: environment.describe(
      'Environment tag in the cloud. PROD also protects from deletion unless deletionProtection says otherwise. Omitted: as it is; the cloud chooses at creation.',
    ),
    connectionPooler,
    changeWindows,
    connectionSecret: connectionSecret(
      'the name of this object and -replicas-db',
      'as in the Secret of its service',
    ),
    selector: z
      .record(z.string(), z.unknown())
      .optional()
      .describe('Ignored: kustomize writes it into every ReplicaSet.'),
    template: z
      .record(z.string(), z.unknown())
      .optional()
      .describe('Ignored: kustomize writes it into every ReplicaSet.'),
  })
  .meta(
    checkedBy(
      oneParent,
      fixedAtCreation({
        rule: '!has(self.serviceRef) || !has(oldSelf.serviceRef) || self.serviceRef.name == oldSelf.serviceRef.name',
        message: 'serviceRef is fixed at creation: create another ReplicaSet for the other service',
        fieldPath: '.serviceRef',
      }),
      fixedAtCreation({
        rule: '!has(self.serviceId) || !has(oldSelf.serviceId) || self.serviceId == oldSelf.serviceId',
        message: 'serviceId is fixed at creation: create another ReplicaSet for the other service',
        fieldPath: '.serviceId',
      }),
      fixed('name', 'name is fixed at creation: the cloud cannot rename a replica set'),
    ),
  )
  .describe('The wanted read replica set. A value that is left out stays as it is.');

export const replicaSetStatus = z.object({
  ...commonStatus,
  heldChanges,
  size: z
    .string()
    .optional()
    .describe('CPU and memory of a node as the cloud shows them, such as 1000m/4GB.'),
  serviceId: z.string().optional().describe('Id of the service that the replica set hangs on.'),
  binding,
  connectionSecret: connectionSecretVersion,
  replicaSet: z
    .object({
      name: z.string().optional(),
      nodes: z.number().optional(),
      cpuMillis: z.number().optional(),
      memoryGbs: z.number().optional(),
      endpoint: endpoint.optional(),
      connectionPooler: pooler.optional(),
      metadata: environmentTag.optional(),
      status: z.string().optional(),
    })
    .meta({ 'x-kubernetes-preserve-unknown-fields': true })
    .optional()
    .describe('The replica set as the cloud shows it.'),
});
export type ReplicaSetStatus = z.infer<typeof replicaSetStatus>;

/** Ignored fields are not cached, since they may have any size. */
const keptSpec = replicaSetSpec.omit({ selector: true, template: true });

export type ReplicaSet = StoredObject<'ReplicaSet', z.infer<typeof keptSpec>, ReplicaSetStatus>;

export const replicaSets = {
  ...everyKind,
  plural: 'readreplicasets',
  kind: 'ReplicaSet',
  parse: (value: unknown): ReplicaSet =>
    storedObject('ReplicaSet', { spec: keptSpec, status: replicaSetStatus }, value),
  references: ({ spec }: ReplicaSet) =>
    [{ kind: 'ManagedService', name: spec.serviceRef?.name, id: spec.serviceId }] as const,
  parent: {
    kind: 'ManagedService',
    recordedAs: 'parentServiceId',
    shownId: ({ status }: ReplicaSet) => status?.serviceId,
  },
  shownEnvironment: ({ status }: ReplicaSet) => status?.replicaSet?.metadata?.environment,
  passwordSecret: () => undefined,
  described: {
    singular: 'readreplicaset',
    shortName: 'rrset',
    description:
      'Read replicas of a service. Their connection is in the Secret that status.binding names.',
    example: {
      name: 'orders-reads',
      spec: { serviceRef: { name: 'orders' }, nodes: 2, cpuMillis: 1000, memoryGbs: 4 },
    },
    columns: [
      ...ready,
      state,
      { name: 'Service', type: 'string', jsonPath: '.spec.serviceRef.name' },
      { name: 'Nodes', type: 'integer', jsonPath: '.spec.nodes' },
      size,
      age,
      id,
      {
        name: 'Endpoint',
        type: 'string',
        jsonPath: '.status.replicaSet.endpoint.host',
        wide: true,
      },
      secret,
      changeWindowsColumn,
      ...ending,
    ],
    spec: replicaSetSpec,
    status: replicaSetStatus,
    rootRules: [],
  },
} as const;
