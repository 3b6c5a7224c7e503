import type { EnvironmentTag } from './endpoint.ts';

/** Bodies of the requests, as they go over the wire. Sizes are strings everywhere but in CreateReplicaSet. @see cloud-api.md, Endpoints */
export interface CreateVpc {
  readonly cidr: string;
  readonly name: string;
  readonly region_code: string;
}

export interface CreatePeering {
  readonly peer_account_id: string;
  readonly peer_region_code: string;
  readonly peer_vpc_id: string;
}

export interface CreateService {
  readonly name: string;
  readonly addons?: readonly ('time-series' | 'ai')[];
  /** Millicores as a decimal string, or the literal `shared`. */
  readonly cpu_millis?: string;
  /** Gigabytes as a decimal string, or the literal `shared`. */
  readonly memory_gbs?: string;
  readonly environment_tag?: EnvironmentTag;
  readonly region_code?: string;
  readonly replica_count?: number;
}

export interface ForkService {
  readonly fork_strategy: 'LAST_SNAPSHOT' | 'NOW' | 'PITR';
  /** RFC 3339; required with PITR. */
  readonly target_time?: string;
  readonly name?: string;
  readonly cpu_millis?: string;
  readonly memory_gbs?: string;
  readonly environment_tag?: EnvironmentTag;
}

/** Millicores and gigabytes as decimal strings. */
export interface Resize {
  readonly cpu_millis: string;
  readonly memory_gbs: string;
}

/** Documented nowhere; this shape mirrors `ha_replicas`. */
export interface SetHighAvailability {
  readonly replica_count?: number;
  readonly sync_replica_count?: number;
}

export interface CreateReplicaSet {
  readonly name: string;
  readonly nodes: number;
  readonly cpu_millis: number;
  readonly memory_gbs: number;
}
