import type { Dispatcher } from 'undici';
import { projectObserver } from '../cloud/project-observer.ts';
import type { CallObservation } from '../cloud/cloud-client.ts';
import type { ClaimTable } from '../reconcile/claims.ts';
import { apiKey, type ApiKey } from '../reconcile/credentials/api-key.ts';
import type { Log } from '../reconcile/log.ts';
import type { Clock } from '../runtime/clock.ts';
import { parked } from '../runtime/parked.ts';
import { keyClient } from './key-client.ts';

export interface CloudKeysOptions {
  readonly cloudUrl: URL;
  readonly rateLimit: { readonly perSecond: number; readonly burst: number };
  readonly claims: ClaimTable;
  readonly clock: Clock;
  readonly random: () => number;
  readonly intercept: Dispatcher.DispatcherComposeInterceptor | undefined;
  readonly userAgent: string;
  readonly log: Log;
  readonly observe: (call: CallObservation) => void;
}

/** The way to the cloud for a key: its client, its rate limit, and the lists that all of its objects share. */
export function cloudKeys({ claims, clock, random, ...options }: CloudKeysOptions): (key: string, operatorsOwn: boolean) => ApiKey {
  return (key, operatorsOwn) =>
    apiKey({
      client: keyClient(key, { ...options, clock }),
      operatorsOwn,
      clock,
      observe: (api, projectId) =>
        projectObserver({
          api,
          projectId,
          clock,
          random,
          parked,
          known: {
            vpcs: () => claims.expectedIds('ManagedVpc', projectId),
            services: () => claims.expectedIds('ManagedService', projectId),
            replicaSets: (parentId) => claims.expectedIds('ReplicaSet', projectId, parentId),
          },
        }),
    });
}
