import * as z from 'zod';
import type { CloudApi, CloudOperation, ProjectApi } from '../../cloud/cloud-api.ts';
import { cloudOperations } from '../../cloud/cloud-client.ts';
import { CloudError } from '../../cloud/cloud-error.ts';
import { errorKindOf } from '../../cloud/read-reply.ts';
import { projectId, type ProjectId } from '../../cloud/wire/account.ts';
import { operations, pathIds } from '../../cloud/wire/all.ts';
import type { Peering } from '../../cloud/wire/peering.ts';
import type { ReplicaSet } from '../../cloud/wire/replica-set.ts';
import { type Service, serviceId } from '../../cloud/wire/service.ts';
import { vpcId } from '../../cloud/wire/vpc.ts';
import { ApiError } from '../../simulator/api-error.ts';
import { routes } from '../../simulator/api-server.ts';
import { type Project, project as simulated } from '../../simulator/project.ts';
import { create } from '../../simulator/store.ts';
import type { Step } from '../../simulator/timeline.ts';
import { CommandError } from '../error.ts';
import type { JumpingClock } from './jumping-clock.ts';

/** The reads of the real cloud. This type allows no change. */
export type ProjectReader = Pick<
  ProjectApi,
  'listVpcs' | 'listPeerings' | 'listServices' | 'listReplicaSets'
>;

/** A change that the operator asked of the copy. */
export interface CloudRequest {
  readonly operation: CloudOperation;
  /** Without that of the project. */
  readonly ids: readonly string[];
  readonly body: object | undefined;
  /** The id of the new resource. */
  readonly newId: string | undefined;
}

/** The reads of the real cloud with an API key. */
export interface LiveKey extends Pick<CloudApi, 'getCredentialsInfo'> {
  project(id: ProjectId): ProjectReader;
}

/** Copies of projects in memory, each with the operations of the simulator. */
export interface CloudCopy {
  /** The API as the operator calls it. A project is read on demand. */
  open(live: LiveKey): CloudApi;
}

export interface CloudCopyOptions {
  readonly clock: JumpingClock;
  /** Called for each change that a copy accepted. */
  readonly onRequest: (request: CloudRequest) => void;
  /** Called for each failed read of the real cloud, except for a rejected key, which is an ordinary state. */
  readonly onFailure: (error: CloudError) => void;
}

export function cloudCopy({ clock, onRequest, onFailure }: CloudCopyOptions): CloudCopy {
  const projects = new Map<string, Promise<ProjectCopy>>();
  const reading: Reading = async (read) => {
    try {
      return await clock.during(read);
    } catch (error) {
      const isState =
        error instanceof CloudError &&
        error.operation === 'getCredentialsInfo' &&
        isRejection(error);
      if (error instanceof CloudError && !isState) onFailure(error);
      throw error;
    }
  };
  return {
    open: (live) =>
      cloudOperations(async (operation, ids, _options, body) => {
        const [id, ...inProject] = ids;
        if (id === undefined) return reading(live.getCredentialsInfo());
        const copy =
          projects.get(id) ?? projectCopy({ id: projectId.parse(id), live, clock, reading });
        projects.set(id, copy);
        const { carryOut } = await copy;
        await clock.sleep(callMs);
        const result = await carryOut(operation, inProject, body);
        const { effect } = operations[operation];
        if (effect === 'read') return result;
        onRequest({
          operation,
          ids: inProject,
          body,
          newId: effect === 'create' ? made.parse(result).id : undefined,
        });
        return effect === 'create' ? result : undefined;
      }),
  };
}

/** Waits for a read of the real cloud, while time stands still. */
type Reading = <T>(read: Promise<T>) => Promise<T>;

function isRejection({ kind }: CloudError): boolean {
  return kind === 'unauthorized' || kind === 'forbidden';
}

interface ProjectCopyOptions extends Pick<CloudCopyOptions, 'clock'> {
  readonly id: ProjectId;
  readonly live: LiveKey;
  readonly reading: Reading;
}

interface ProjectCopy {
  readonly carryOut: (
    operation: CloudOperation,
    ids: readonly string[],
    body: object | undefined,
  ) => Promise<unknown>;
}

/** Policy time of a call, so that no two calls have the same time. */
const callMs = 50;
/** Policy time that a copy works on a change: long enough that the operator sees it at work. */
const latencyMs = 4_000;

/** Reads a project. Peerings, and replica sets where the list of services lacks them, are read on demand. */
async function projectCopy({ id, live, clock, reading }: ProjectCopyOptions): Promise<ProjectCopy> {
  const reader = live.project(id);
  const [services, vpcs] = await reading(Promise.all([reader.listServices(), reader.listVpcs()]));
  // The list may lack the replica sets of some services, which could not be read.
  const unlisted = services.filter(({ read_replica_sets: sets }) => sets === undefined);
  const includeReplicaSets = services.length > 0 && unlisted.length === 0;
  const project = simulated({ id, apiKey: '', clock, latencyMs, includeReplicaSets });
  for (const vpc of vpcs) create(project, 'vpc', { id: vpc.id, first: vpc, name: vpc.name });
  for (const service of services) loadService(project, service);
  const unread = {
    peering: new Set<string>(vpcs.map(({ id: vpc }) => vpc)),
    replicaSet: new Set<string>(unlisted.map(({ service_id: service }) => service)),
  };
  const readChildren = async (parentId: string) => {
    // Peerings wait for the owner of the other account, so the copy does not finish them.
    if (unread.peering.delete(parentId))
      for (const each of await reading(reader.listPeerings(vpcId.parse(parentId))))
        loadPeering(project, parentId, each);
    if (unread.replicaSet.delete(parentId))
      for (const each of await reading(reader.listReplicaSets(serviceId.parse(parentId))))
        loadReplicaSet(project, parentId, each);
  };
  return {
    async carryOut(operation, ids, body) {
      if (ids[0] !== undefined) await readChildren(ids[0]);
      return handled(project, operation, ids, body);
    },
  };
}

const atRest: ReadonlySet<string | undefined> = new Set([
  'READY',
  'PAUSED',
  'DELETED',
  'UNSTABLE',
  'active',
  'error',
  undefined,
]);

/** The state after the work that the cloud is doing; undefined: the resource is gone. */
const ends: Readonly<Record<string, string | undefined>> = {
  DELETING: undefined,
  deleting: undefined,
  PAUSING: 'PAUSED',
  resizing: 'active',
};

/** The end of the work that a snapshot shows. */
function steps<T extends { readonly status?: string | undefined }>(
  { status }: T,
  usual: string,
): readonly Step<T>[] {
  if (status === undefined || atRest.has(status)) return [];
  const end = status in ends ? ends[status] : usual;
  return [
    {
      afterMs: latencyMs,
      change: (before) => (end === undefined ? undefined : { ...before, status: end }),
    },
  ];
}

function loadService(project: Project, service: Service): void {
  const { read_replica_sets: sets = [], service_id: id, ...rest } = service;
  create(project, 'service', {
    id,
    first: { service_id: id, ...rest },
    steps: steps(service, 'READY'),
    name: service.name,
  });
  for (const each of sets) loadReplicaSet(project, id, each);
}

function loadPeering(project: Project, parentId: string, each: Peering): void {
  refuseSecond(project, 'peering', each.id);
  create(project, 'peering', { id: each.id, first: each, parentId });
}

function loadReplicaSet(project: Project, parentId: string, each: ReplicaSet): void {
  refuseSecond(project, 'replicaSet', each.id);
  create(project, 'replicaSet', {
    id: each.id,
    first: each,
    steps: steps(each, 'active'),
    name: each.name,
    parentId,
  });
}

/** Parents may reuse ids of each other; the copy has a single map for all. @throws {CommandError} */
function refuseSecond(
  { stores, id: project }: Project,
  kind: 'peering' | 'replicaSet',
  id: string,
): void {
  if (stores[kind].has(id))
    throw new CommandError(
      `project ${project} has two resources with the id ${id} (${kind}): no plan can be made for it`,
    );
}

const handlers = new Map(routes.map(({ operation, handle }) => [operation, handle]));

/** @throws {CloudError} as the cloud would refuse it */
function handled(
  project: Project,
  operation: CloudOperation,
  ids: readonly string[],
  body: object | undefined,
): unknown {
  const handle = handlers.get(operation);
  if (!handle) throw new Error(`the copy of the cloud has no operation ${operation}`);
  try {
    // The copy shares no object with its callers.
    return structuredClone(
      handle({
        project,
        ids: idsIn(operation, [project.id, ...ids]),
        body,
        listTime: project.clock.now(),
      }),
    );
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { status, message } = error;
    throw new CloudError({
      operation,
      kind: errorKindOf(status),
      status,
      cloudMessage: message,
      sent: true,
      fromApi: true,
    });
  }
}

const made = z.union([
  z.object({ id: z.string() }),
  z.object({ service_id: z.string() }).transform(({ service_id: id }) => ({ id })),
]);

const named = z.record(pathIds.keyof(), z.string().default(''));

/** The ids of a path by name; empty if the path lacks them. */
function idsIn(operation: CloudOperation, ids: readonly string[]): z.infer<typeof named> {
  const names = [...operations[operation].path.matchAll(/\{(\w+)\}/gu)].map(([, name]) => name);
  return named.parse(Object.fromEntries(names.map((name, place) => [name, ids[place]])));
}
