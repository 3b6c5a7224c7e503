import * as z from 'zod';
import { age, changeWindowsColumn, ending, id, ready, secret, size, state } from './columns.ts';
import { fork } from './fork.ts';
import { checkedBy, fixed, fixedAtCreation } from './rule.ts';
import {
  changeWindows,
  cloudIdText,
  cloudText,
  commonSpec,
  connectionPooler,
  connectionSecret,
  environment,
  objectName,
  objectReference,
  runningHours,
  secretKey,
  sizeOrShared,
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

const password = z
  .object({
    secretRef: z
      .object({
        name: objectName().describe('Name of the Secret, in this namespace.'),
        key: secretKey().default('password').describe('Key of the Secret that holds the password.'),
      })
      .optional()
      .describe('Secret of yours with the password to set; a change there is applied.'),
    rotation: z
      .string()
      .min(1)
      .max(64)
      .optional()
      .describe('Any text; a new text rotates the password.'),
  })
  .meta(
    checkedBy({
      rule: '!has(self.secretRef) || !has(self.rotation)',
      message:
        'rotation makes the operator choose the password: remove secretRef, or change the Secret instead',
      fieldPath: '.rotation',
    }),
  )
  .describe(
    'How the password of the database user is chosen and changed. Omitted: the cloud chose it at creation, and it stays.',
  );

export const managedServiceSpec = z
  .object({
    ...commonSpec,
    name: cloudText(
      'Name in the cloud. Fixed at creation. Omitted: the name of this object and six characters that make it its own.',
    ),
    regionCode: z
      .string()
      .min(1)
      .max(64)
      .optional()
      .describe(
        'Region of the cloud, such as eu-central-1. Fixed at creation. Omitted: the cloud chooses; the choice may be written down here later.',
      ),
    addons: z
      .array(z.enum(['time-series', 'ai']))
      .max(8)
      .optional()
      .meta({
        description: 'Extensions of the database: time-series, ai. Fixed at creation.',
        'x-kubernetes-list-type': 'set',
      }),
    cpuMillis: sizeOrShared(
      'cpuMillis is a number of millicores without quotes, such as 1000, up to 2147483647, or the word shared',
      'CPU in millicores: an integer, or the word shared. shared goes with memoryGbs: shared. Omitted: as it is; the cloud chooses at creation.',
    ),
    memoryGbs: sizeOrShared(
      'memoryGbs is a number of gigabytes without quotes, such as 4, up to 2147483647, or the word shared',
      'Memory in gigabytes: an integer, or the word shared. shared goes with cpuMillis: shared. Omitted: as it is; the cloud chooses at creation.',
    ),
    environment,
    powerState: z
      .enum(['Running', 'Stopped'])
      .optional()
      .describe('Whether the service runs. Omitted: as it is.'),
    runningHours,
    highAvailability: z
      .object({
        replicaCount: wholeNumber(0, 100)
          .optional()
          .describe('Number of high-availability replicas.'),
        syncReplicaCount: wholeNumber(0, 100)
          .optional()
          .describe('How many of them are synchronous; at most replicaCount.'),
      })
      .optional()
      .meta({
        minProperties: 1,
        ...checkedBy({
          rule: '!has(self.replicaCount) || !has(self.syncReplicaCount) || self.syncReplicaCount <= self.replicaCount',
          message: 'syncReplicaCount is part of replicaCount: lower it, or raise replicaCount',
          fieldPath: '.syncReplicaCount',
        }),
        description:
          'High-availability replicas. They take over; to read from replicas, create a ReplicaSet. Omitted: as it is.',
      }),
    connectionPooler,
    changeWindows,
    vpcRef: objectReference('ManagedVpc in this namespace to attach the service to.').optional(),
    vpcId: cloudIdText(
      'Id of any other VPC to attach the service to. Needs credentials of your own or the right to adopt.',
    ),
    fork: fork.optional(),
    password: password.optional(),
    connectionSecret: connectionSecret('the name of this object and -db'),
  })
  .meta(
    checkedBy(
      fixed('name', 'name is fixed at creation: the cloud cannot rename a service'),
      fixed(
        'addons',
        'addons are fixed at creation: create a ManagedService with the addons and move the data',
      ),
      fixedAtCreation({
        rule: '!has(self.regionCode) || !has(oldSelf.regionCode) || self.regionCode == oldSelf.regionCode',
        message:
          'regionCode is fixed at creation: create a ManagedService in the other region and move the data',
        fieldPath: '.regionCode',
      }),
      fixed('fork', 'fork is read once, at creation: create another ManagedService to fork again'),
      {
        rule: '!has(self.runningHours) || !has(self.powerState)',
        message: 'runningHours and powerState exclude each other: remove powerState',
        fieldPath: '.powerState',
      },
      {
        rule: 'has(self.runningHours) || !has(oldSelf.runningHours) || has(self.powerState)',
        message: 'without runningHours, powerState decides: set powerState to Running or Stopped',
        fieldPath: '.powerState',
      },
      {
        rule: '!has(self.vpcRef) || !has(self.vpcId)',
        message:
          'vpcRef and vpcId exclude each other: keep vpcRef for a ManagedVpc in this namespace, vpcId for any other VPC',
        fieldPath: '.vpcId',
      },
      {
        rule: "(has(self.cpuMillis) && self.cpuMillis == 'shared') == (has(self.memoryGbs) && self.memoryGbs == 'shared')",
        message:
          'shared is for both or neither: set cpuMillis and memoryGbs to shared, or both to numbers',
        fieldPath: '.memoryGbs',
      },
      {
        rule: '!has(self.fork) || !has(self.regionCode)',
        message: "a fork stays in its parent's region: remove regionCode",
        fieldPath: '.regionCode',
      },
      {
        rule: '!has(self.fork) || !has(self.addons)',
        message: "a fork has its parent's addons: remove addons",
        fieldPath: '.addons',
      },
    ),
  )
  .describe(
    'The wanted service. A value that is left out stays as it is; without vpcRef and vpcId, a VPC that the operator attached is detached.',
  );
export type ManagedServiceSpec = z.infer<typeof managedServiceSpec>;

export const managedServiceStatus = z.object({
  ...commonStatus,
  heldChanges,
  size: z
    .string()
    .optional()
    .describe('CPU and memory as the cloud shows them, such as 2000m/8GB.'),
  vpcId: z.string().optional().describe('Id of the VPC that the service is attached to.'),
  wasReady: z
    .boolean()
    .optional()
    .describe(
      'Whether the service was READY once. Until then, a fork holds the service that it is copied from.',
    ),
  newGeneration: z
    .number()
    .int()
    .optional()
    .describe(
      'The generation of the spec that the operator creates the service with. It ends when no change that the rules could hold is left to attempt: until then, no window and no approval holds the first attempt of a change.',
    ),
  binding,
  connectionSecret: connectionSecretVersion,
  service: z
    .object({
      name: z.string().optional(),
      created: z.string().optional(),
      regionCode: z.string().optional(),
      serviceType: z.string().optional(),
      status: z.string().optional(),
      endpoint: endpoint.optional(),
      connectionPooler: pooler.optional(),
      forkedFrom: z
        .object({
          isStandby: z.boolean().optional(),
          projectId: z.string().optional(),
          serviceId: z.string().optional(),
        })
        .optional(),
      haReplicas: z
        .object({ replicaCount: z.number().optional(), syncReplicaCount: z.number().optional() })
        .optional(),
      metadata: environmentTag.optional(),
      resources: z
        .array(
          z.object({
            id: z.string().optional(),
            spec: z
              .object({
                cpuMillis: z.number().optional(),
                memoryGbs: z.number().optional(),
                volumeType: z.string().optional(),
              })
              .optional(),
          }),
        )
        .optional(),
      vpcEndpoint: z.unknown().optional(),
    })
    .meta({ 'x-kubernetes-preserve-unknown-fields': true })
    .optional()
    .describe(
      'The service as the cloud shows it, without password, replica sets and usage figures.',
    ),
});
export type ManagedServiceStatus = z.infer<typeof managedServiceStatus>;

export type ManagedService = StoredObject<
  'ManagedService',
  ManagedServiceSpec,
  ManagedServiceStatus
>;

export const managedServices = {
  ...everyKind,
  plural: 'managedservices',
  kind: 'ManagedService',
  parse: (value: unknown): ManagedService =>
    storedObject(
      'ManagedService',
      { spec: managedServiceSpec, status: managedServiceStatus },
      value,
    ),
  references: ({ spec }: ManagedService) =>
    [
      { kind: 'ManagedVpc', name: spec.vpcRef?.name, id: spec.vpcId },
      { kind: 'ManagedService', name: spec.fork?.serviceRef?.name, id: spec.fork?.serviceId },
    ] as const,
  parent: undefined,
  shownEnvironment: ({ status }: ManagedService) => status?.service?.metadata?.environment,
  passwordSecret: ({ spec }: ManagedService) => spec.password?.secretRef?.name,
  described: {
    singular: 'managedservice',
    shortName: 'msvc',
    description:
      'A database in the managed database cloud. Its connection is in the Secret that status.binding names.',
    example: { name: 'orders', spec: { cpuMillis: 1000, memoryGbs: 4, vpcRef: { name: 'prod' } } },
    columns: [
      ...ready,
      state,
      size,
      { name: 'Region', type: 'string', jsonPath: '.status.service.regionCode' },
      age,
      id,
      { name: 'Endpoint', type: 'string', jsonPath: '.status.service.endpoint.host', wide: true },
      { name: 'VPC', type: 'string', jsonPath: '.status.vpcId', wide: true },
      {
        name: 'HA',
        type: 'string',
        jsonPath: '.status.service.haReplicas.replicaCount',
        wide: true,
      },
      secret,
      changeWindowsColumn,
      ...ending,
    ],
    spec: managedServiceSpec.default({}),
    status: managedServiceStatus,
    rootRules: [
      fixedAtCreation({
        rule: 'has(self.spec.regionCode) == has(oldSelf.spec.regionCode) || (has(self.spec.regionCode) && has(self.status) && has(self.status.service) && has(self.status.service.regionCode) && self.spec.regionCode == self.status.service.regionCode)',
        message:
          'regionCode is fixed at creation: it can be written down later only with the value in status.service.regionCode, and not removed',
        fieldPath: '.spec.regionCode',
      }),
      {
        rule: "!(has(self.spec.cpuMillis) && self.spec.cpuMillis == 'shared') || (has(oldSelf.spec.cpuMillis) && oldSelf.spec.cpuMillis == 'shared') || !has(self.status) || !has(self.status.id)",
        message:
          'a service cannot go back to shared: give numbers for cpuMillis and memoryGbs, or fork it into a new, shared service',
        fieldPath: '.spec.cpuMillis',
      },
      {
        rule: 'oldSelf.hasValue() || !has(self.spec.fork) || !has(self.spec.fork.serviceRef) || self.spec.fork.serviceRef.name != self.metadata.name',
        message:
          'a service cannot be a fork of itself: name another ManagedService in fork.serviceRef, or rename this object',
        fieldPath: '.spec.fork.serviceRef',
        optionalOldSelf: true,
      },
    ],
  },
} as const;
