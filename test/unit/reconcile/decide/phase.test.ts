import { expect, test } from 'vitest';
import { phaseOf } from '../../../../src/reconcile/decide/policy.ts';
import type { Phase } from '../../../../src/reconcile/decide/rule.ts';
import type { ObservedResource } from '../../../../src/reconcile/situation/situation.ts';
import {
  cloudError,
  deleting,
  judged,
  noon,
  ownAttempt,
  present,
  situation,
} from '../../../support/situation.ts';
import { usableKey } from '../../../support/usable-account.ts';

const none = { state: 'none' } as const;
const gone = { state: 'absent' } as const;
const unlisted = { state: 'missing', again: noon } as const;
const unread = { state: 'unknown', error: cloudError() } as const;
const seen = present();

type Row = readonly [
  sentence: string,
  id: string | undefined,
  cloud: ObservedResource<unknown>,
  whileItStays: Phase['phase'] | undefined,
  whileDeleting: Phase['phase'] | undefined,
];

const rows: readonly Row[] = [
  ['nothing was made', undefined, none, 'missing', undefined],
  ['nothing was created, and a resource is seen', undefined, seen, 'missing', undefined],
  ['the resource is seen', 'svc-1', seen, 'existing', 'deleting'],
  ['the absence of the resource is proven', 'svc-1', gone, 'missing', 'deleting'],
  ['a list lacks it', 'svc-1', unlisted, 'missing', 'deleting'],
  ['the resource cannot be read', 'svc-1', unread, 'missing', 'deleting'],
  ['the resource was not looked for', 'svc-1', none, 'missing', 'deleting'],
];

const account = usableKey();

test.each(rows)('%s', (_, id, cloud, whileItStays, whileDeleting) => {
  expect(phaseOf(situation({ account, record: { id }, cloud }))?.phase).toBe(whileItStays);
  expect(phaseOf(situation({ account, record: { id }, cloud, deletion: deleting() }))?.phase).toBe(
    whileDeleting,
  );
});

test.each(rows)(
  'a create that came to nothing does not change the phase: %s',
  (_, id, cloud, whileItStays, whileDeleting) => {
    const attempt = judged({ kind: 'none' }, ownAttempt);
    expect(phaseOf(situation({ account, record: { id }, cloud, attempt }))?.phase).toBe(
      whileItStays,
    );
    expect(
      phaseOf(situation({ account, record: { id }, cloud, attempt, deletion: deleting() }))?.phase,
    ).toBe(whileDeleting);
  },
);

test.each(rows)('there is no phase before a key is proven: %s', (_, id, cloud) => {
  expect(phaseOf(situation({ record: { id }, cloud }))).toBeUndefined();
  expect(phaseOf(situation({ record: { id }, cloud, deletion: deleting() }))).toBeUndefined();
});

test('a phase has what its rules need: the key, the id, and of what exists the resource', () => {
  const key = account;
  expect(phaseOf(situation({ account }))).toMatchObject({ phase: 'missing', key, id: undefined });
  expect(phaseOf(situation({ account, record: { id: 'svc-1' }, cloud: gone }))).toMatchObject({
    phase: 'missing',
    key,
    id: 'svc-1',
  });
  expect(
    phaseOf(situation({ account, record: { id: 'svc-1' }, deletion: deleting() })),
  ).toMatchObject({
    phase: 'deleting',
    key,
    id: 'svc-1',
  });
  const existing = { phase: 'existing', key, id: 'svc-1', resource: seen.resource, asOf: noon };
  expect(phaseOf(situation({ account, record: { id: 'svc-1' }, cloud: seen }))).toMatchObject(
    existing,
  );
});
