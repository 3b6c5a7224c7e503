import type { Situation } from '../../../../src/reconcile/situation/situation.ts';
import type { Layer } from '../../../support/layers.ts';
import {
  chosenAttempt,
  firstOf,
  keySecret,
  noon,
  type GivenObject,
} from '../../../support/situation.ts';
import { usableKey } from '../../../support/usable-account.ts';

type Common = GivenObject &
  Partial<Pick<Situation, 'claim' | 'account' | 'pinnedProject' | 'attempt'>>;

/** The decisions for every kind that precede all other decisions, unless the object is being deleted. */
export const whoseItIs: readonly Layer<Common>[] = [
  [
    'an unreadable field that decides about permitted changes',
    { spec: { deletionPolicy: 'Perhaps' } },
    {
      type: 'stall',
      reason: 'Rejected',
      message: 'until then the operator changes and deletes nothing',
    },
  ],
  [
    'a foreign owner',
    { claim: { state: 'contested', rival: firstOf('shop') }, record: { isShared: true } },
    { type: 'stall', reason: 'NotBound', message: 'ManagedService first' },
  ],
  [
    'a ledger entry to take over',
    { claim: { state: 'rebind', entry: 'managedservice-before' } },
    { type: 'write', message: 'the object takes over the ledger entry' },
  ],
  [
    'spec.suspend',
    { spec: { suspend: true } },
    { type: 'suspended', message: 'spec.suspend is true' },
  ],
  [
    'credentials that are missing',
    { account: { state: 'missing', problem: 'there is no key', remedy: 'create it' } },
    { type: 'wait', reason: 'WaitingForCredentials', message: 'there is no key' },
  ],
  [
    'credentials of another project',
    {
      account: usableKey({ project: 'prj-2', secret: keySecret({ held: false }) }),
      pinnedProject: 'prj-1',
    },
    {
      type: 'stall',
      reason: 'ForeignProject',
      message: 'the credentials are of project prj-2: use a key of prj-1',
    },
  ],
  [
    'a credentials Secret that is not held yet',
    { account: usableKey({ secret: keySecret({ held: false }) }) },
    {
      type: 'write',
      action: { type: 'holdCredentials' },
      message: 'Secret "cloud-key" is held while it is needed',
    },
  ],
  [
    'a create without a reply',
    { attempt: { state: 'looking', attempt: chosenAttempt, again: noon + 5_000 } },
    { type: 'wait', reason: 'ResolvingCreate', message: 'nothing is created twice' },
  ],
];
