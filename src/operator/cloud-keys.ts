import { projectObserver, type ProjectObserver } from '../cloud/project-observer.ts';
import type { ProjectId } from '../cloud/wire/account.ts';
import type { Service } from '../cloud/wire/service.ts';
import type { CloudOperation } from '../cloud/cloud-api.ts';
import type { ClaimTable } from '../reconcile/wiring/claims.ts';
import { openApiKey, type ApiKey, type KeyClient } from '../reconcile/credentials/accounts.ts';
import { untilStopped, type Clock } from '../runtime/index.ts';

export interface ListedService {
  readonly projectId: string;
  readonly service: Service;
  /** The policy time of its list. */
  readonly at: number;
}

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
  /** The last known services of all keys, without a call. A project with two keys has its services twice. `at`: the policy time of their list. */
  services(): Iterable<ListedService>;
}

export function cloudKeys({ clientOf, claims, clock, random }: CloudKeysOptions): CloudKeys {
  const observers = new Map<ProjectObserver, ProjectId>();
  return {
    open: (key, operatorsOwn) =>
      openApiKey({
        client: clientOf(key),
        operatorsOwn,
        clock,
        observe: (api, projectId) =>
          whileOpen(
            observers,
            projectId,
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
      for (const observer of observers.keys()) yield* observer.asOf();
    },
    *services() {
      for (const [{ services }, projectId] of observers) {
        const { items, begunAt: at = 0 } = services.latest ?? {};
        for (const service of items?.values() ?? []) yield { projectId, service, at };
      }
    },
  };
}

/** Keeps the observer in the map until it is stopped. */
function whileOpen(
  observers: Map<ProjectObserver, ProjectId>,
  projectId: ProjectId,
  observer: ProjectObserver,
): ProjectObserver {
  const open: ProjectObserver = {
    ...observer,
    stop() {
      observers.delete(open);
      observer.stop();
    },
  };
  observers.set(open, projectId);
  return open;
}
