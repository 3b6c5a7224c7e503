import * as z from 'zod';
import { faultList, type FaultList } from './faults.ts';
import type { Offers } from './offers.ts';
import { type Inventory, newStores } from './store.ts';
import { rememberMs } from './timeline.ts';

export const longestLatencyMs = 86_400_000;

const latency = z.int().min(0).max(longestLatencyMs).exactOptional();

/** How the cloud behaves in a project. Times are milliseconds of its clock. */
export const settings = z.strictObject({
  /** How long the cloud works on a change; 0: it is done at once. Default 3,000. */
  latencyMs: latency,
  /** The same for a deletion. Default: as for a change. */
  deleteLatencyMs: latency,
  /** Age of lists. Default 0. */
  listLagMs: z.int().min(0).max(rememberMs).exactOptional(),
  /** Whether services list their replica sets. Default true. */
  includeReplicaSets: z.boolean().exactOptional(),
  /** Whether the reply to a create has the endpoint. Default true; false: the endpoint comes with READY or active. */
  endpointAtOnce: z.boolean().exactOptional(),
});
export type Settings = z.infer<typeof settings>;

const defaults = { latencyMs: 3_000, listLagMs: 0, includeReplicaSets: true, endpointAtOnce: true };

/** A project of the cloud: its resources, its history and its faults. */
export interface Project
  extends
    Inventory,
    Required<Omit<Settings, 'deleteLatencyMs'>>,
    Pick<Settings, 'deleteLatencyMs'> {
  readonly id: string;
  readonly apiKey: string;
  /** Absent: everything is on offer. */
  readonly offers?: Offers;
  /** Requests that arrived (`calls`) and changes that were carried out (`commits`), by operation. */
  readonly calls: Map<string, number>;
  readonly commits: Map<string, number>;
  readonly faults: FaultList;
}

export function project(
  options: Settings & Pick<Project, 'id' | 'apiKey' | 'clock' | 'offers'>,
): Project {
  return {
    ...defaults,
    ...options,
    stores: newStores(),
    everCreated: [],
    calls: new Map(),
    commits: new Map(),
    faults: faultList(),
  };
}

export function deletionMs({ deleteLatencyMs, latencyMs }: Project): number {
  return deleteLatencyMs ?? latencyMs;
}

export function empty(owner: Project): void {
  for (const each of [...Object.values(owner.stores), owner.calls, owner.commits]) each.clear();
  owner.everCreated.length = 0;
  owner.faults.clear();
}
