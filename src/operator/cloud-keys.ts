import { projectObserver, type ProjectObserver } from '../cloud/project-observer.ts';
import type { CloudOperation } from '../cloud/cloud-api.ts';
import type { ClaimTable } from '../reconcile/process/claims.ts';
import { apiKey, type ApiKey, type KeyClient } from '../reconcile/credentials/api-key.ts';
import { untilStopped, type Clock } from '../runtime/index.ts';

export interface CloudKeysOptions {
  readonly clientOf: (key: string) => KeyClient;
  readonly claims: ClaimTable;
  readonly clock: Clock;
  readonly random: () => number;
}

export interface CloudKeys {
  /** Opens a key, with the client, rate limit and lists that all its objects share. */
  open(key: string, operatorsOwn: boolean): ApiKey;
  /** See {@link ProjectObserver.asOf}, for all keys. */
  asOf(): Iterable<readonly [list: CloudOperation, at: number]>;
}

export function cloudKeys({ clientOf, claims, clock, random }: CloudKeysOptions): CloudKeys {
  const observers = new Set<ProjectObserver>();
  return {
    open: (key, operatorsOwn) =>
      apiKey({
        client: clientOf(key),
        operatorsOwn,
        clock,
        observe: (api, projectId) =>
          whileOpen(
            observers,
            projectObserver({
              api,
              projectId,
              clock,
              random,
              untilStopped,
              known: {
                vpcs: () => claims.expectedIds('ManagedVpc', projectId),
                services: () => claims.expectedIds('ManagedService', projectId),
                replicaSets: (parentId) => claims.expectedIds('ReplicaSet', projectId, parentId),
                peerings: (ofVpc) => claims.expectedIds('peering', projectId, ofVpc),
              },
            }),
          ),
      }),
    *asOf() {
      for (const observer of observers) yield* observer.asOf();
    },
  };
}

/** Keeps the observer in the set until it is stopped. */
function whileOpen(observers: Set<ProjectObserver>, observer: ProjectObserver): ProjectObserver {
  const open: ProjectObserver = {
    ...observer,
    stop() {
      observers.delete(open);
      observer.stop();
    },
  };
  observers.add(open);
  return open;
}
