import { decideReplicaSet } from '../../../../src/reconcile/kinds/replica-set/kind.ts';
import { decideService } from '../../../../src/reconcile/kinds/service/kind.ts';
import { decideVpc } from '../../../../src/reconcile/kinds/vpc/kind.ts';
import type { ObservedDeletion } from '../../../../src/reconcile/situation/situation.ts';
import type { Step } from '../../../../src/reconcile/step/step.ts';
import { defaultOptions } from '../../../support/default-options.ts';
import type { Given as GivenOfAll } from '../../../support/policy-rows.ts';
import { replicaSetSituation } from '../../../support/situation-of-others.ts';
import {
  chosenAttempt,
  cloudError,
  firstOf,
  noon,
  serviceSituation,
} from '../../../support/situation.ts';
import { usableKey } from '../../../support/usable-account.ts';
import { a, peering, withPeerings } from './vpc/vpc-with-peerings.ts';

export type Given = Omit<GivenOfAll, 'list'>;

/** A way to a DELETE. */
export interface Way {
  readonly decide: (given: Given) => Step;
  /** Whether the deletion had begun before. */
  readonly begun: boolean;
}

const requested = (begun: boolean, { deletion }: Given = {}) => ({
  ...deletion,
  requested: true,
  started: begun,
});
const absent = { state: 'absent' } as const;
const missing = { state: 'missing', again: noon + 5_000 } as const;
const inVain = {
  lastOperation: { operation: 'delete', wanted: 'svc-1', at: noon - 30_000 },
} as const;
/** A VPC with a peering that its object made, and that its spec does not name. */
export const made = { recorded: { '1/eu/a': { id: 'p1' } }, shown: [peering('p1', a)] };

const service = (begun: boolean, own: Given = {}): Way => ({
  begun,
  decide: (given) =>
    decideService(serviceSituation({ ...own, ...given, deletion: requested(begun, given) })),
});
const vpc = (begun: boolean, own: Parameters<typeof withPeerings>[0] = {}): Way => ({
  begun,
  decide: (given) =>
    decideVpc(withPeerings({ ...own, ...given, deletion: requested(begun, given) })),
});
const replicaSet = (begun: boolean, own: Given = {}): Way => ({
  begun,
  decide: (given) =>
    decideReplicaSet(replicaSetSituation({ ...own, ...given, deletion: requested(begun, given) })),
});

/** Each way to a DELETE: a new way gets a row here. */
export const ways: readonly (readonly [sentence: string, way: Way])[] = [
  ['a service that is there', service(false)],
  ['a service that seems to be gone', service(false, { cloud: absent })],
  ['a service whose deletion had begun', service(true)],
  ['a service that was asked to go in vain', service(true, inVain)],
  ['a VPC that is there', vpc(false)],
  ['a VPC that seems to be gone', vpc(false, { cloud: absent })],
  ['a VPC whose peerings go first', vpc(false, made)],
  ['a peering of a VPC whose deletion had begun', vpc(true, made)],
  ['a replica set that is there', replicaSet(false)],
  ['a replica set that seems to be gone', replicaSet(false, { cloud: absent })],
  ['a replica set that its list lacks', replicaSet(false, { cloud: missing })],
  [
    'a replica set that its list lacks, and whose deletion had begun',
    replicaSet(true, { cloud: missing }),
  ],
];

const depends = (dependents: ObservedDeletion['dependents']) => ({ deletion: { dependents } });
/** The conditions that hold every DELETE back. */
export const always: readonly (readonly [sentence: string, given: Given])[] = [
  ['something depends on it', depends([{ noun: 'unfinished fork', id: 'x', owner: undefined }])],
  [
    'a create on it has no answer',
    depends([{ noun: 'unfinished fork', id: '', owner: firstOf('shop') }]),
  ],
  ['lists cannot tell what depends on it', depends(undefined)],
  ['what depends on it cannot be read', depends(cloudError())],
  ['it is of another object', { claim: { state: 'contested', rival: firstOf('shop') } }],
  ['it is of another cluster', { claim: { state: 'elsewhere', clusterUid: 'c' } }],
  ['it is not bound to its ledger entry', { claim: { state: 'unbound', why: '', id: 'svc-1' } }],
  ['the key is of another project', { account: usableKey({ project: 'prj-2' }) }],
  ['there is no key', { account: { state: 'missing', problem: '', remedy: 'create it' } }],
  [
    'a create of its own has no answer',
    { attempt: { state: 'looking', attempt: chosenAttempt, again: noon } },
  ],
  ['it is suspended', { spec: { suspend: true } }],
  ['what decides about it cannot be read', { spec: { deletionPolicy: 'Perhaps' } }],
  ['the operator only looks', { options: { ...defaultOptions, managementPolicy: 'Observe' } }],
];
/** The conditions that hold a DELETE back until the deletion has begun. */
export const before: readonly (readonly [sentence: string, given: Given])[] = [
  ['it is to be kept', { spec: { deletionPolicy: 'Retain' } }],
  ['the operator keeps everything', { options: { ...defaultOptions, deletionPolicy: 'Retain' } }],
  ['it is only observed', { spec: { managementPolicy: 'Observe' } }],
  ['it is protected', { spec: { deletionProtection: true } }],
  ['its definition is being deleted', { deletion: { crdTerminating: true } }],
];
