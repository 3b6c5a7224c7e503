import { expect, test } from 'vitest';
import { isOfResource, speaksFor } from '../../../src/reconcile/connection/ownership.ts';
import { passwordDigest } from '../../../src/reconcile/connection/stored-password.ts';
import { connectionFinalizer } from '../../../src/resources/annotations.ts';
import { connectionAnnotations } from '../../../src/resources/connection-secret.ts';
import { connectionSecret } from '../../support/our-secret.ts';
import { ownAttempt, serviceObject } from '../../support/situation.ts';

/** The one condition under which a Secret is written, copied, or removed by a step. (docs/safety.md, What a Secret proves) */

const object = (record: object) => serviceObject({ 'managed-db.io/record': JSON.stringify({ projectId: 'prj-1', ...record }) });
const about = (annotations: Record<string, string>) => connectionSecret({ metadata: { annotations } });
const { id, attempt, owner, ownerUid, passwordDigest: digest } = connectionAnnotations;
const withoutId = (annotations: Record<string, string>) => {
  const { metadata, ...secret } = about(annotations);
  const { [id]: _, ...others } = metadata.annotations ?? {};
  return { ...secret, metadata: { ...metadata, annotations: others } };
};
const anothers = about({ [owner]: 'ManagedService/other' });

test.each([
  ['is of the resource', about({ [id]: 'svc-1' }), { id: 'svc-1' }, {}, true],
  ['is of the lost one that this one is to replace', about({ [id]: 'svc-1' }), { id: 'svc-1', attempt: ownAttempt }, { id: 'svc-2' }, true],
  ['is of the lost one that this one has replaced', about({ [id]: 'svc-1' }), { id: 'svc-2', replaces: 'svc-1' }, {}, true],
  ['is of the open create', about({ [id]: 'svc-2', [attempt]: ownAttempt.id }), { attempt: ownAttempt }, {}, true],
  ['is of the create that was answered', about({ [id]: 'svc-2', [attempt]: 'now' }), {}, { attempt: 'now' }, true],
  ['is of a kept resource', about({ [id]: 'kept', [attempt]: 'before' }), { attempt: ownAttempt }, { id: 'svc-2' }, false],
  ['is of a kept resource, beside one that exists', about({ [id]: 'kept' }), { id: 'svc-1' }, { id: 'svc-1' }, false],
  ['does not say which, and this object made it', withoutId({ [ownerUid]: 'uid' }), { id: 'svc-1' }, {}, true],
  ['does not say which, and an earlier object of this name made it', withoutId({ [ownerUid]: 'before' }), {}, { id: 'svc-1' }, false],
  [
    'says which by the digest of its password alone',
    withoutId({ [digest]: passwordDigest('text', 'salt', 'svc-1') }),
    {},
    { id: 'svc-1' },
    true,
  ],
  [
    'says by that digest that it is of a kept resource',
    withoutId({ [digest]: passwordDigest('text', 'salt', 'kept') }),
    {},
    { id: 'svc-1' },
    false,
  ],
  ['says nothing of resource and maker', withoutId({}), {}, { id: 'svc-1' }, false],
  ['says which, and an earlier object of this name made it', about({ [id]: 'svc-1', [ownerUid]: 'before' }), { id: 'svc-1' }, {}, true],
  ['is of another object', anothers, { id: 'svc-1' }, { id: 'svc-1' }, false],
])('a Secret that %s', (_what, secret, record, written: { readonly id?: string; readonly attempt?: string }, isIts) => {
  expect(isOfResource(secret, { owner: object(record), id: undefined, ...written })).toBe(isIts);
});

const deletionTimestamp = '2026-11-21T12:00:00Z';
const letGo = { deletionTimestamp, finalizers: ['example.com/backup'] };
const held = { deletionTimestamp, finalizers: [connectionFinalizer, 'example.com/backup'] };

test.each([
  ['of an earlier object of that name tells of the resource that was kept', {}, 'gone', true],
  ['of an earlier object of that name tells of it while the operator holds the Secret', held, 'gone', true],
  ['of an earlier object of that name tells nothing once it was let go', letGo, 'gone', false],
  ['of the object itself tells of its resource, though somebody let it go', letGo, 'uid', true],
])('a Secret %s', (_what, metadata, uid, speaks) => {
  expect(speaksFor(object({}), connectionSecret({ metadata: { ...metadata, annotations: { [ownerUid]: uid } } }))).toBe(speaks);
});

test('a Secret of another object tells nothing of this one', () => {
  expect(speaksFor(object({}), anothers)).toBe(false);
});
