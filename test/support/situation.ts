import type { Situation } from '../../src/reconcile/situation.ts';
import { managedServices } from '../../src/resources/managed-service.ts';
import { policy } from './policy.ts';

/** A service, `shop/orders`, as its object has it. */
export function serviceObject(annotations: Readonly<Record<string, string>> = {}, spec: object = {}) {
  return managedServices.parse({ metadata: { name: 'orders', namespace: 'shop', uid: 'uid', resourceVersion: '1', annotations }, spec });
}

/** What rules decide by, for a service that nothing is known of yet: only what matters to a row stands in it. */
export function situation(given: Partial<Situation> = {}): Situation {
  return {
    words: { kind: 'ManagedService', noun: 'service' },
    object: serviceObject(),
    now: 0,
    policy,
    clusterUid: 'cluster',
    record: {},
    hasFinalizer: true,
    hasRecord: true,
    isRecordLost: false,
    identity: { state: 'none' },
    heldBack: undefined,
    claim: { state: 'ours' },
    account: { state: 'notAsked' },
    pinnedProject: undefined,
    attempt: undefined,
    cloud: { state: 'none' },
    deletion: { requested: false, started: false, crdTerminating: false, dependents: [] },
    lastOperation: undefined,
    refusedAt: undefined,
    lookAskedInMs: undefined,
    refusals: new Map(),
    ...given,
  };
}
