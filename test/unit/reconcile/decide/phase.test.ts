import { expect, test } from 'vitest';
import { phaseOf } from '../../../../src/reconcile/decide/policy.ts';
import type { Phase } from '../../../../src/reconcile/decide/rule.ts';
import type { ObservedResource, Identity } from '../../../../src/reconcile/situation/situation.ts';
import { cloudError, deleting, judged, known, noon, ownAttempt, present, situation } from '../../../support/situation.ts';
import { usableAccount } from '../../../support/usable-account.ts';

const none = { state: 'none' } as const;
const gone = { state: 'absent' } as const;
const unlisted = { state: 'missing', again: noon } as const;
const unread = { state: 'unknown', error: cloudError() } as const;
const seen = present();

type Row = readonly [
  sentence: string,
  identity: Identity,
  cloud: ObservedResource<unknown>,
  whileItStays: Phase['phase'] | undefined,
  whileDeleting: Phase['phase'] | undefined,
];

const rows: readonly Row[] = [
  ['nothing was made', none, none, 'missing', undefined],
  ['nothing was created, and a resource is seen', none, seen, 'missing', undefined],
  ['the resource is seen', known(), seen, 'existing', 'deleting'],
  ['the absence of the resource is proven', known(), gone, 'missing', 'deleting'],
  ['a list lacks it', known(), unlisted, 'missing', 'deleting'],
  ['the resource cannot be read', known(), unread, 'missing', 'deleting'],
  ['the resource was not looked for', known(), none, 'missing', 'deleting'],
];

const account = usableAccount();

test.each(rows)('%s', (_, identity, cloud, whileItStays, whileDeleting) => {
  expect(phaseOf(situation({ account, identity, cloud }))?.phase).toBe(whileItStays);
  expect(phaseOf(situation({ account, identity, cloud, deletion: deleting() }))?.phase).toBe(whileDeleting);
});

test.each(rows)('a create that came to nothing does not change the phase: %s', (_, identity, cloud, whileItStays, whileDeleting) => {
  const attempt = judged({ kind: 'none' }, ownAttempt);
  expect(phaseOf(situation({ account, identity, cloud, attempt }))?.phase).toBe(whileItStays);
  expect(phaseOf(situation({ account, identity, cloud, attempt, deletion: deleting() }))?.phase).toBe(whileDeleting);
});

test.each(rows)('there is no phase before a key is proven: %s', (_, identity, cloud) => {
  expect(phaseOf(situation({ identity, cloud }))).toBeUndefined();
  expect(phaseOf(situation({ identity, cloud, deletion: deleting() }))).toBeUndefined();
});

test('a phase has what its rules need: the key, the id, and of what exists the resource', () => {
  const key = account.account;
  expect(phaseOf(situation({ account }))).toMatchObject({ phase: 'missing', key, id: undefined });
  expect(phaseOf(situation({ account, identity: known(), cloud: gone }))).toMatchObject({ phase: 'missing', key, id: 'svc-1' });
  expect(phaseOf(situation({ account, identity: known(), deletion: deleting() }))).toMatchObject({ phase: 'deleting', key, id: 'svc-1' });
  const existing = { phase: 'existing', key, id: 'svc-1', resource: seen.resource, asOf: noon };
  expect(phaseOf(situation({ account, identity: known(), cloud: seen }))).toMatchObject(existing);
});
