import { type Operation, projectOperations } from '../../cloud/wire/all.ts';
import { peerings } from '../../cloud/wire/peering.ts';
import type { Visit } from '../../reconcile/report/visit.ts';
import { approveCommand } from '../../reconcile/decide/gate.ts';
import type { Situation } from '../../reconcile/situation/situation.ts';
import type { CloudAction, CreateAction } from '../../reconcile/step/step.ts';
import { heldChangesOf, type ManagedObject } from '../../resources/managed-object.ts';
import type { CloudRequest } from '../copy/cloud-copy.ts';

/** The effects of a step on the users of a database. */
export const impacts = [
  'none',
  'interruption',
  'endpointChange',
  'passwordChange',
  'dataLoss',
] as const;
export type Impact = (typeof impacts)[number];

/** A step of the operator, as data. */
export interface PlannedStep {
  /** An operation of the cloud, or a step within the cluster that users must know about. */
  readonly operation: Changing | 'adopt' | 'release' | 'dropConnections';
  readonly changesCloud: boolean;
  /** Such as `resize 2000m/8GB -> 4000m/16GB`. */
  readonly text: string;
  readonly from?: string;
  readonly to?: string;
  readonly impact: Impact;
  /** The change waits: for its next opening, or without an end that is known. */
  readonly held?: string;
}

type Rows = typeof projectOperations;
export type Changing = {
  [O in keyof Rows]: Rows[O]['effect'] extends 'read' ? never : O;
}[keyof Rows];

interface Words {
  readonly text: string;
  readonly impact: Impact;
  /** Whether the values before and after belong to the text. */
  readonly values?: 'both' | 'wanted' | 'before';
}

const words: Readonly<Record<Changing, Words>> = {
  createVpc: { text: 'create the VPC', impact: 'none' },
  renameVpc: { text: 'rename', impact: 'none', values: 'both' },
  deleteVpc: { text: 'delete the VPC', impact: 'interruption' },
  createPeering: { text: 'create the peering', impact: 'none' },
  deletePeering: { text: 'delete the peering', impact: 'interruption' },
  createService: { text: 'create the service', impact: 'none' },
  forkService: { text: 'create the service as a fork', impact: 'none' },
  deleteService: { text: 'delete the service with its data', impact: 'dataLoss' },
  startService: { text: 'start', impact: 'none' },
  stopService: { text: 'stop', impact: 'interruption' },
  attachServiceToVpc: { text: 'attach to VPC', impact: 'endpointChange', values: 'wanted' },
  detachServiceFromVpc: { text: 'detach from VPC', impact: 'endpointChange', values: 'before' },
  resizeService: { text: 'resize', impact: 'interruption', values: 'both' },
  enableServicePooler: { text: 'enable the connection pooler', impact: 'none' },
  disableServicePooler: { text: 'disable the connection pooler', impact: 'endpointChange' },
  updateServicePassword: { text: 'set a new password', impact: 'passwordChange' },
  setServiceEnvironment: { text: 'set the environment', impact: 'none', values: 'both' },
  setServiceHighAvailability: { text: 'set the standby replicas', impact: 'none', values: 'both' },
  createReplicaSet: { text: 'create the replica set', impact: 'none' },
  deleteReplicaSet: { text: 'delete the replica set', impact: 'interruption' },
  resizeReplicaSet: { text: 'resize', impact: 'interruption', values: 'both' },
  enableReplicaSetPooler: { text: 'enable the connection pooler', impact: 'none' },
  disableReplicaSetPooler: { text: 'disable the connection pooler', impact: 'endpointChange' },
  setReplicaSetEnvironment: { text: 'set the environment', impact: 'none', values: 'both' },
};

/** Whether the operation creates the resource of an object. A peering is a part of its VPC. */
export function creates(operation: PlannedStep['operation']): boolean {
  return effectOf(operation) === 'create';
}

/** Whether the operation deletes the resource of an object. A peering is a part of its VPC. */
export function deletes(operation: PlannedStep['operation']): boolean {
  return effectOf(operation) === 'delete';
}

function effectOf(operation: PlannedStep['operation']): Operation['effect'] | undefined {
  if (!isChanging(operation)) return undefined;
  return operation in peerings.operations ? 'change' : projectOperations[operation].effect;
}

/**
 * The step of a visit, if users must know of it. Pure.
 * @param nameOf the name of a resource that the plan itself creates; undefined for an existing resource
 */
export function plannedStep(
  { step, outcome, situation: { noun } }: Visit<Situation>,
  requests: readonly CloudRequest[],
  nameOf: (id: string) => string | undefined,
): PlannedStep | undefined {
  if (outcome.type !== 'done' && step.type !== 'release') return undefined;
  if (step.type === 'release')
    return step.released.fate === 'gone' ? undefined : leftInCloud(noun, step.released.id);
  if (step.type === 'write' && step.action.type === 'adopt') {
    return inCluster('adopt', `adopt ${noun} ${step.action.id} as it is`, 'none');
  }
  if (step.type === 'write' && step.action.type === 'dropConnections') {
    return inCluster(
      'dropConnections',
      `remove the connection Secret ${step.action.names.join(', ')}`,
      'endpointChange',
    );
  }
  const [request] = requests;
  return request && step.type === 'call' && isChanging(request.operation)
    ? inCloud(request.operation, step.action, nameOf)
    : undefined;
}

/** The changes of an object that windows or approvals hold, by its last status. Pure. */
export function heldSteps(object: ManagedObject | undefined): readonly PlannedStep[] {
  if (object === undefined) return [];
  return heldChangesOf(object).flatMap(({ operation, change, waitsFor, until }) => {
    if (!isChanging(operation)) return [];
    const opening = until === undefined ? '' : ` at ${until}`;
    const [from = '', to = ''] = change.split(' -> ');
    return {
      operation,
      changesCloud: true,
      text: `${words[operation].text} ${change}`,
      impact: impactOf(operation, from, to),
      held:
        waitsFor === 'Window'
          ? `waits for a window${opening}`
          : `waits for an approval: ${approveCommand(object)}`,
    };
  });
}

/** A standby replica that goes may be the replica that apps are connected to. */
function impactOf(operation: Changing, from: string, to: string): Impact {
  const isLess =
    operation === 'setServiceHighAvailability' &&
    Number.parseInt(to, 10) < Number.parseInt(from, 10);
  return isLess ? 'interruption' : words[operation].impact;
}

function leftInCloud(noun: string, id: string | undefined): PlannedStep | undefined {
  return id === undefined
    ? undefined
    : inCluster('release', `leave ${noun} ${id} in the cloud`, 'none');
}

function inCluster(operation: PlannedStep['operation'], text: string, impact: Impact): PlannedStep {
  return { operation, changesCloud: false, text, impact };
}

function isChanging(operation: string): operation is Changing {
  return operation in words;
}

function inCloud(
  operation: Changing,
  action: CloudAction,
  nameOf: (id: string) => string | undefined,
): PlannedStep {
  const { text, impact, values } = words[operation];
  const common = { operation, changesCloud: true, impact } as const;
  if (action.type === 'change') {
    const [from = '', to = ''] = [action.from, action.wanted].map(
      (value) => nameOf(value) ?? value,
    );
    const effect = { from, to, impact: impactOf(operation, from, to) };
    return { ...common, ...effect, text: withValues(text, { from, to }, values) };
  }
  if (action.type === 'create') return { ...common, text: `${text}${described(action)}` };
  if (action.type === 'createPeering') return { ...common, text: `${text} ${action.key}` };
  if (action.type === 'deletePeering') return { ...common, text: `${text} ${action.id}` };
  return { ...common, text };
}

function withValues(
  text: string,
  { from, to }: { readonly from: string; readonly to: string },
  values: Words['values'],
): string {
  switch (values) {
    case 'both':
      return `${text} ${from} -> ${to}`;
    case 'wanted':
      return `${text} ${to}`;
    case 'before':
      return `${text} ${from}`;
    case undefined:
      return text;
  }
}

/** The size and the place of a new resource, as far as they are asked for. */
function described({ creation: { body } }: CreateAction): string {
  const size = 'cpu_millis' in body && body.cpu_millis !== undefined ? [sizeOf(body)] : [];
  const place = 'region_code' in body && body.region_code !== undefined ? [body.region_code] : [];
  const range = 'cidr' in body ? [body.cidr] : [];
  const parts = [...size, ...place, ...range];
  return parts.length === 0 ? '' : `: ${parts.join(', ')}`;
}

type Amount = string | number | undefined;

function sizeOf({
  cpu_millis: cpu,
  memory_gbs: memory,
}: {
  readonly cpu_millis?: Amount;
  readonly memory_gbs?: Amount;
}): string {
  return cpu === 'shared' ? 'shared' : `${cpu}m/${memory}GB`;
}
