import { fileURLToPath } from 'node:url';
import { expect, inject, test } from 'vitest';
import {
  annotationsOf,
  ledgerFinalizer,
  ledgerLabel,
  ledgerSecretType,
} from '../../../src/resources/ledger-entry.ts';
import { force } from '../../../src/simulator/store.ts';
import { callsOf, commitsOf } from '../../support/cloud-calls.ts';
import { letPass } from '../../support/let-pass.ts';
import { service } from '../../support/manifests.ts';
import { agreed, cloudPassword } from '../../support/passwords-of.ts';
import { recordOf } from '../../support/read-record.ts';
import { readyService } from '../../support/ready-service.ts';
import { replace } from '../../support/replace.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { openTerminal } from '../../support/terminal.ts';
import { until } from '../../support/until.ts';
import { whileStopped } from '../../support/while-stopped.ts';
import { ledgerNamespace, startWorld, type World } from '../../support/world.ts';
import { allBlocks, pages } from '../../unit/docs/pages.ts';

/** The ledger: a Secret for each service, in a namespace that the operator alone writes. (docs/safety.md, The ledger) */

const inLedger = ['--namespace', ledgerNamespace];
const entryNameOf = async (world: World) => (await world.entry('orders'))?.metadata.name ?? '';

test.concurrent('a service is not created while the ledger namespace is missing, and the status names the command that ends it', async () => {
  await using world = await startWorld({ start: false });
  const missing = `${world.namespace}-ledger`;
  // The operator's role is in the namespace of the ledger, so this operator has the rights of an administrator.
  await world.startedOperator({
    cluster: inject('controlPlane'),
    settings: { ledgerNamespace: missing },
  });
  await world.apply(service('orders'));
  const message = await world.untilReason('service', 'orders', 'WaitingForLedger');
  expect(message).toContain(
    `"${missing}" is missing: kubectl apply -f deploy/ledger-namespace.yaml`,
  );
  expect([
    callsOf(world, 'createService'),
    await recordOf(world, await world.service('orders')),
  ]).toEqual([0, {}]);
  await world.kubectl(['create', 'namespace', missing]);
  await world.untilReady('service', 'orders');
  expect(world.project.everCreated).toHaveLength(1);
  await world.remove('service', 'orders');
});

test.concurrent('an object can be deleted while the ledger namespace is missing', async () => {
  await using world = await startWorld({ start: false });
  await world.startedOperator({
    cluster: inject('controlPlane'),
    settings: { ledgerNamespace: `${world.namespace}-ledger` },
  });
  await world.apply(service('orders'));
  await world.untilReason('service', 'orders', 'WaitingForLedger');
  await world.remove('service', 'orders');
  expect(callsOf(world, 'createService')).toBe(0);
});

test.concurrent('a ledger namespace that is being deleted keeps its passwords and holds up new services only, until the commands of docs/troubleshooting.md recreate it', async () => {
  await using world = await startWorld({ start: false });
  await using folder = await temporaryFolder();
  await using terminal = openTerminal(inject('controlPlane'), folder.path);
  const ledger = `${world.namespace}-ledger`;
  const startedOperator = () =>
    world.startedOperator({
      cluster: inject('controlPlane'),
      settings: { ledgerNamespace: ledger },
    });
  await terminal.type(`kubectl create namespace ${ledger}`);
  await startedOperator();
  const id = await readyService(world);
  const before = cloudPassword(world, id);
  await terminal.type(`kubectl delete namespace ${ledger} --wait=false`);
  await world.apply(service('late'));
  expect(await world.untilReason('service', 'late', 'WaitingForLedger')).toContain(
    `"${ledger}" is being deleted: save its entries`,
  );
  await world.applyUntilReady(service('orders', { password: { rotation: 'now' } }));
  const rotated = await agreed(world, id, before);
  expect(callsOf(world, 'createService')).toBe(1);

  await world.stopOperators();
  const page = pages.find(({ path }) => path === 'docs/troubleshooting.md')?.text ?? '';
  const commands = allBlocks(page).find(({ content }) => content.includes('> ledger.json'));
  const jq = fileURLToPath(new URL('../../support/jq.ts', import.meta.url));
  await terminal.type(`jq() { '${process.execPath}' '${jq}' "$@"; }`);
  const steps = (commands?.content ?? '')
    .split('\n')
    .filter((line) => !line.startsWith('kubectl scale'))
    .join('\n')
    .replace('apply -f ledger-namespace.yaml', `create namespace ${ledger}`);
  await terminal.type(steps.replaceAll(ledgerNamespace, ledger));
  await startedOperator();
  await world.untilReady('service', 'late');
  await world.untilReady('service', 'orders');
  expect([cloudPassword(world, id), world.project.everCreated.length]).toEqual([rotated, 2]);
  await world.remove('service', 'late');
  await world.remove('service', 'orders');
  await terminal.type(`kubectl delete namespace ${ledger} --timeout=60s`);
});

test.concurrent('a ledger entry names its object, its resource and the outcome, and has a single password', async () => {
  await using world = await startWorld();
  const id = await readyService(world);
  const { uid } = (await world.service('orders'))?.metadata ?? {};
  const entry = await world.entry('orders');
  expect(entry?.content).toMatchObject({
    object: { kind: 'ManagedService', namespace: world.namespace, name: 'orders', uid },
    projectId: world.project.id,
    id,
    outcome: 'created',
    passwordNumber: 1,
    hasPassword: true,
  });
  expect(entry?.data).toEqual({ password: cloudPassword(world, id) });
  const { stdout } = await world.kubectl([
    ...inLedger,
    'get',
    'secret',
    entry?.metadata.name ?? '',
    '-o',
    'jsonpath={.type} {.metadata.finalizers}',
  ]);
  expect(stdout).toBe(`${ledgerSecretType} ["${ledgerFinalizer}"]`);
});

test.concurrent('the finalizer holds a ledger entry that is deleted with kubectl, and rotation and deletion go on', async () => {
  await using world = await startWorld();
  const id = await readyService(world);
  const before = cloudPassword(world, id);
  const { uid = '' } = (await world.service('orders'))?.metadata ?? {};
  await world.kubectl([...inLedger, 'delete', 'secret', await entryNameOf(world), '--wait=false']);
  await world.sync('service', 'orders');
  expect((await world.entry('orders'))?.metadata.deletionTimestamp).toBeDefined();
  await world.applyUntilReady(service('orders', { password: { rotation: 'now' } }));
  const next = await agreed(world, id, before);
  expect((await world.entry('orders'))?.data).toEqual({ password: next });
  await world.remove('service', 'orders');
  await until(
    'the entry to go, after its object',
    async () => (await world.entry({ uid })) === undefined,
  );
  expect(commitsOf(world, 'deleteService')).toBe(1);
});

test.concurrent('a deleted object leaves no ledger entry, whether its service was created or refused', async () => {
  await using world = await startWorld();
  world.project.faults.add({
    kind: 'errorBefore',
    operation: 'createService',
    status: 422,
    body: { message: 'quota' },
    times: 1,
  });
  await world.apply(service('refused'));
  await world.untilReason('service', 'refused', 'Rejected');
  await readyService(world);
  const entries = async () =>
    (
      await world.kubectl([
        ...inLedger,
        'get',
        'secrets',
        '-l',
        `managed-db.io/namespace=${world.namespace}`,
        '-o',
        'name',
      ])
    ).stdout
      .split('\n')
      .filter((line) => line !== '').length;
  expect(await entries()).toBe(2);
  await world.remove('service', 'refused');
  await world.remove('service', 'orders');
  expect(await entries()).toBe(0);
});

test.concurrent('a ledger entry that cannot be read is reported and stays as it is, and the password stays', async () => {
  await using world = await startWorld();
  const id = await readyService(world);
  const before = cloudPassword(world, id);
  const entry = await world.entry('orders');
  const name = await entryNameOf(world);
  await world.kubectl([
    ...inLedger,
    'annotate',
    '--overwrite',
    'secret',
    name,
    'managed-db.io/entry={"version":2}',
  ]);
  await world.apply(service('orders', { password: { rotation: 'now' } }));
  expect(await world.untilReason('service', 'orders', 'NotBound')).toContain(
    `ledger entry ${name} cannot be read: restore it`,
  );
  await letPass(world, 10_000);
  expect([(await world.entry('orders'))?.data, callsOf(world, 'updateServicePassword')]).toEqual([
    { password: before },
    0,
  ]);
  const [annotation] = entry?.content ? Object.entries(annotationsOf(entry.content)) : [];
  await world.kubectl([
    ...inLedger,
    'annotate',
    '--overwrite',
    'secret',
    name,
    `${annotation?.[0]}=${annotation?.[1]}`,
  ]);
  await world.untilReady('service', 'orders');
  await agreed(world, id, before);
});

test.concurrent('nothing is created for an object whose ledger entry cannot be read', async () => {
  await using world = await startWorld({ start: false });
  await world.apply(service('orders'));
  const name = `managedservice-${(await world.service('orders'))?.metadata.uid}`;
  const metadata = {
    name,
    labels: { [ledgerLabel]: 'true' },
    annotations: { 'managed-db.io/entry': '{"version":2}' },
  };
  const newer = { apiVersion: 'v1', kind: 'Secret', type: ledgerSecretType, metadata };
  expect(
    await world.kubectl([...inLedger, 'create', '-f', '-'], JSON.stringify(newer)),
  ).toMatchObject({ code: 0 });
  await world.startedOperator();
  expect(await world.untilReason('service', 'orders', 'NotBound')).toContain(
    `ledger entry ${name} cannot be read: restore it`,
  );
  await letPass(world, 10_000);
  expect(callsOf(world, 'createService')).toBe(0);
  await world.kubectl([...inLedger, 'delete', 'secret', name]);
  await world.untilReady('service', 'orders');
});

test.concurrent('an object that lost record and status keeps its service through the ledger, and nothing is created', async () => {
  await using world = await startWorld();
  const id = await readyService(world);
  await whileStopped(world, async () => {
    await replace(world, service('orders'));
    const status = '{"status":{"id":null,"projectId":null}}';
    await world.kubectl([
      'patch',
      'managedservice',
      'orders',
      '--subresource=status',
      '--type=merge',
      '-p',
      status,
    ]);
  });
  await until(
    'the record',
    async () => (await recordOf(world, await world.service('orders'))).id === id,
  );
  await world.untilReady('service', 'orders');
  expect([world.project.everCreated.length, callsOf(world, 'updateServicePassword')]).toEqual([
    1, 0,
  ]);
});

test.concurrent('a ledger entry is about the database that replaced a lost database', async () => {
  await using world = await startWorld();
  const lost = await readyService(world);
  const before = await world.entry('orders');
  force(world.project, { kind: 'service', id: lost, status: undefined });
  await world.untilReason('service', 'orders', 'Lost');
  expect((await world.entry('orders'))?.content?.id).toBe(lost);
  await world.patch('service', 'orders', {
    metadata: { annotations: { 'managed-db.io/allow-recreate': lost } },
  });
  const id = await until('another database', () => world.project.everCreated[1]?.id);
  await world.untilReady('service', 'orders');
  const after = await world.entry('orders');
  expect([after?.metadata.uid, after?.content?.id, after?.data]).toEqual([
    before?.metadata.uid,
    id,
    { password: cloudPassword(world, id) },
  ]);
});

test.concurrent('a service whose ledger entry lost its label is NotBound, and its deletion waits for the label', async () => {
  await using world = await startWorld();
  const id = await readyService(world);
  const name = await entryNameOf(world);
  await world.kubectl([...inLedger, 'label', 'secret', name, `${ledgerLabel}-`]);
  expect(await world.untilReason('service', 'orders', 'NotBound')).toContain(
    `${name}, or it lost its label ${ledgerLabel}`,
  );
  await world.delete('service', 'orders');
  const command = [
    'label',
    '--overwrite',
    'secret',
    name,
    '-n',
    ledgerNamespace,
    `${ledgerLabel}=true`,
  ];
  expect(await world.untilReason('service', 'orders', 'InternalError')).toContain(
    `kubectl ${command.join(' ')}`,
  );
  await world.kubectl(command);
  await world.untilGone('service', 'orders');
  expect(world.project.everCreated.find((each) => each.id === id)?.deletedAt).toBeDefined();
});
