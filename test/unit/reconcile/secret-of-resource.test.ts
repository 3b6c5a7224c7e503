import { expect, test } from 'vitest';
import { isOfResource } from '../../../src/reconcile/connection/ownership.ts';
import { connectionAnnotations } from '../../../src/resources/connection-secret.ts';
import { connectionSecret } from '../../support/our-secret.ts';
import { ownAttempt, serviceObject } from '../../support/situation.ts';

/** The one condition under which a Secret is written, copied, or removed by a step. (docs/safety.md, What a Secret proves) */

const object = (record: object) => serviceObject({ 'managed-db.io/record': JSON.stringify({ projectId: 'prj-1', ...record }) });
const about = (annotations: Record<string, string>) => connectionSecret({ metadata: { annotations } });
const { id, attempt, owner } = connectionAnnotations;
const anothers = about({ [owner]: 'ManagedService/other' });

test.each([
  ['is of the resource', about({ [id]: 'svc-1' }), { id: 'svc-1' }, {}, true],
  ['is of the lost one that this one is to replace', about({ [id]: 'svc-1' }), { id: 'svc-1', attempt: ownAttempt }, { id: 'svc-2' }, true],
  ['is of the lost one that this one has replaced', about({ [id]: 'svc-1' }), { id: 'svc-2', replaces: 'svc-1' }, {}, true],
  ['is of the open create', about({ [id]: 'svc-2', [attempt]: ownAttempt.id }), { attempt: ownAttempt }, {}, true],
  ['is of the create that was answered', about({ [id]: 'svc-2', [attempt]: 'now' }), {}, { attempt: 'now' }, true],
  ['is of a kept resource', about({ [id]: 'kept', [attempt]: 'before' }), { attempt: ownAttempt }, { id: 'svc-2' }, false],
  ['is of a kept resource, beside one that exists', about({ [id]: 'kept' }), { id: 'svc-1' }, { id: 'svc-1' }, false],
  ['is of another object', anothers, { id: 'svc-1' }, { id: 'svc-1' }, false],
])('a Secret that %s', (_what, secret, record, written: { readonly id?: string; readonly attempt?: string }, isIts) => {
  expect(isOfResource(secret, { owner: object(record), id: undefined, ...written })).toBe(isIts);
});
