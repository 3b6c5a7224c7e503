import { expect, test } from 'vitest';
import { operatorCaches } from '../../../src/operator/caches.ts';
import { isPasswordOurs, observePresentSecret, pendingSecrets } from '../../../src/reconcile/connection/observe-secret.ts';
import { passwordDigest } from '../../../src/reconcile/connection/stored-password.ts';
import { decideService } from '../../../src/reconcile/kinds/service/kind.ts';
import { copyOrigin } from '../../../src/reconcile/step/password-origin.ts';
import type { ConnectionSecret } from '../../../src/reconcile/situation/observed-secret.ts';
import { connectionAnnotations as says } from '../../../src/resources/connection-secret.ts';
import { keyOf, objectCache } from '../../../src/runtime/index.ts';
import { connectionSecret } from '../../support/our-secret.ts';
import { give, none, rotate, source, sourceOrigin } from '../../support/passwords.ts';
import { known, recordOf, serviceObject, serviceSituation, type GivenService } from '../../support/situation.ts';

/** What the Secrets of a lost service say counts for that one alone. (docs/safety.md, Passwords) */

const record = recordOf('svc-1', { replaces: 'svc-0' });
const adopted = { ...record, outcome: 'adopted', password: 'unmanaged' } as const;
const annotated = (name: string, id: string, annotations: Record<string, string>) =>
  connectionSecret({ metadata: { name, uid: name, annotations: { [says.id]: id, ...annotations } } });
const ofLost = (annotations: Record<string, string> = {}) => annotated('orders-db', 'svc-0', annotations);
const pending = (id: string, origin: string, name = 'orders-db-pending') =>
  annotated(name, id, { [says.pending]: 'true', [says.passwordHandled]: origin });
const current = connectionSecret(none);

/** The Secrets as they are observed. */
async function observed(secrets: readonly ConnectionSecret[], of: GivenService['record'] = record) {
  const caches = operatorCaches({ cache: () => objectCache([undefined]) });
  for (const secret of secrets) caches.connectionSecrets.wrote(secret);
  const contents = { of: ({ metadata }: ConnectionSecret) => Promise.resolve(secrets.find((each) => keyOf(each) === keyOf({ metadata }))) };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only caches are read
  const view = { caches, contents } as never;
  const about = { object: serviceObject(), identity: known(), record: { ...record, ...of } };
  const secret = await observePresentSecret(about, 'orders-db', false, view);
  return { secret, left: pendingSecrets(about, secret.name, view) };
}

/** The action on a service with these Secrets. */
async function actionOn(secrets: readonly ConnectionSecret[], given: GivenService) {
  const step = decideService(
    serviceSituation({ ...given, record: { ...record, ...given.record }, secret: (await observed(secrets, given.record)).secret }),
  );
  return 'action' in step ? step.action : step;
}

test.each([
  ['a password', pending('svc-0', 'rotation r1')],
  ['a password of a secretRef', pending('svc-0', sourceOrigin)],
  ['a password under the name of an earlier connection', pending('svc-0', 'rotation r1', 'before-pending')],
  ['a copy of its Secret', pending('svc-0', copyOrigin('initial'))],
])('%s that waits for a lost service goes, and is none for the one in its place', async (_, waiting) => {
  const { secret, left } = await observed([current, waiting]);
  expect([secret.pending, secret.outdated?.metadata.name, left]).toEqual([undefined, waiting.metadata.name, []]);
  const makesRoom = { type: 'remakeConnection', secret: { name: 'orders-db', pendingName: waiting.metadata.name, id: 'svc-1' } };
  for (const given of [rotate, give(), { ...rotate, record: adopted }])
    expect(await actionOn([current, waiting], given)).toMatchObject(makesRoom);
});

test('a password on its way to the service itself comes before what waits for a lost one', async () => {
  const own = pending('svc-1', 'rotation r1');
  const { secret, left } = await observed([current, pending('svc-0', 'rotation r0', 'before-pending'), own]);
  expect([secret.pending, secret.outdated, left]).toEqual([own, undefined, [own]]);
});

const asked = { type: 'setPassword', origin: sourceOrigin, source };
test.each([
  ['the password of a secretRef that a lost one had is set on the one in its place', {}, give(), { ...asked, record: undefined }],
  ['also on an adopted one', {}, { ...give(), record: adopted }, { ...asked, record: { password: 'managed' } }],
  [
    'a rotation since one that a lost service had sets nothing on an adopted one',
    { [says.passwordHandled]: 'rotation r0' },
    { ...rotate, record: adopted },
    { type: 'notePassword', origin: 'rotation r1' },
  ],
] as const)('%s', async (_, annotations, given, expected) => {
  const secrets = [ofLost({ [says.passwordHandled]: sourceOrigin, ...annotations })];
  expect(await actionOn(secrets, given)).toMatchObject(expected);
});

test('a password that a lost service was sent without an answer is not waited for', async () => {
  const { secret } = await observed([ofLost({ [says.passwordUnansweredAt]: '2026-11-21T11:59:00.000Z' })]);
  expect(secret.state === 'ours' && secret.secret.metadata.annotations?.[says.passwordUnansweredAt]).toBeUndefined();
});

test.each([
  [
    'that is about a lost service',
    ofLost({ [says.attempt]: 'create-0', [says.passwordDigest]: passwordDigest('text', 'salt', 'svc-0') }),
    false,
  ],
  [
    'that was about a lost service',
    { ...annotated('orders-db', 'svc-1', { [says.passwordDigest]: passwordDigest('text', 'salt', 'svc-0') }), ...none },
    false,
  ],
  [
    'that is about the service',
    { ...annotated('orders-db', 'svc-1', { [says.passwordDigest]: passwordDigest('text', 'salt', 'svc-1') }), ...none },
    true,
  ],
])('a Secret %s says of this one alone that its password is ours', async (_, given, isOurs) => {
  expect(isPasswordOurs((await observed([given])).secret, known())).toBe(isOurs);
});
