import { faultList, type FaultList } from './faults.ts';
import type { Offers } from './offers.ts';
import { type Inventory, newStores } from './store.ts';

/** A project of the cloud: its resources, its history and its faults. */
export interface Project extends Inventory {
  readonly id: string;
  readonly apiKey: string;
  /** Milliseconds that the cloud works on a change; 0: it is done at once. */
  latencyMs: number;
  /** Milliseconds; undefined: as on a change. */
  deleteLatencyMs: number | undefined;
  /** Milliseconds. */
  listLagMs: number;
  includeReplicaSets: boolean;
  /** Whether the reply to a create has the endpoint. Otherwise the endpoint comes with the first READY. */
  endpointAtOnce: boolean;
  /** Undefined: everything is on offer. */
  readonly offers: Offers | undefined;
  /** Requests that arrived (`calls`) and changes that were carried out (`commits`), by operation. */
  readonly calls: Map<string, number>;
  readonly commits: Map<string, number>;
  readonly faults: FaultList;
}

export type ProjectOptions = Pick<
  Project,
  'id' | 'apiKey' | 'clock' | 'latencyMs' | 'deleteLatencyMs' | 'listLagMs' | 'includeReplicaSets' | 'endpointAtOnce' | 'offers'
>;

export function project(options: ProjectOptions): Project {
  return {
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
