import { expect, test } from 'vitest';
import { force } from '../../../src/simulator/store.ts';
import { peering, replicaSet, service, vpc } from '../../support/manifests.ts';
import { ledgerNamespace, startWorld, type World } from '../../support/world.ts';

/** All readable output of the operator: its log at level trace, events, objects with status and annotations. */
async function everythingSaid(world: World): Promise<string> {
  const read = await Promise.all([
    world.kubectl(['get', 'events', '-o', 'yaml']),
    world.kubectl(['get', 'managed-db', '-o', 'yaml']),
    world.kubectl(['describe', 'managed-db']),
    world.kubectl([
      'get',
      'secrets',
      '-l',
      'managed-db.io/connection=true',
      '-o',
      'jsonpath={.items[*].metadata}',
    ]),
    world.kubectl([
      '--namespace',
      ledgerNamespace,
      'get',
      'secrets',
      '-o',
      'jsonpath={.items[*].metadata}',
    ]),
  ]);
  return [...world.log, ...read.map(({ stdout }) => stdout)].join('\n');
}

test('no password and no key is in logs, events, status, annotations or errors, whatever goes wrong', async () => {
  await using world = await startWorld();
  const { faults } = world.project;
  const passwords = new Set<string>();
  const remember = () => {
    for (const { password } of world.project.stores.service.values()) passwords.add(password);
  };
  // Unreadable answers with a password, refusals that repeat the request, and calls that break off.
  faults.add({ kind: 'malformed', operation: 'createService', as: 'unknownField', times: 1 });
  faults.add({ kind: 'malformed', operation: 'createService', as: 'wrongType', times: 1 });
  faults.add({ kind: 'replyLost', operation: 'createService', times: 1 });
  faults.add({ kind: 'errorBefore', operation: 'updateServicePassword', status: 500, times: 1 });
  faults.add({ kind: 'malformed', operation: 'updateServicePassword', as: 'html', times: 1 });
  faults.add({ kind: 'replyLost', operation: 'updateServicePassword', times: 1 });
  faults.add({
    kind: 'errorBefore',
    operation: 'attachServiceToVpc',
    status: 409,
    body: { message: `Bearer ${world.project.apiKey} may not` },
    times: 1,
  });
  const refused = world.simulator.addProject({ clock: world.clock });
  refused.faults.add({
    kind: 'errorBefore',
    operation: 'createVpc',
    status: 422,
    body: { message: `key ${refused.apiKey} is not allowed` },
  });
  await world.apply(
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'cloud' },
      stringData: { apiKey: refused.apiKey },
    },
    vpc('refused', { credentialsRef: { name: 'cloud' } }),
    vpc('prod', { peerings: [peering] }),
    ...['a', 'b', 'c'].map((name) => service(name, { vpcRef: { name: 'prod' } })),
    replicaSet('reads', 'a'),
  );
  await world.untilReason('vpc', 'refused', 'Rejected');
  for (const name of ['a', 'b', 'c']) {
    await world.untilReady('service', name);
    remember();
    passwords.add((await world.secret(`${name}-db`))?.['password'] ?? '');
  }
  await world.untilReady('replicaSet', 'reads');
  force(world.project, {
    kind: 'service',
    id: (await world.service('c'))?.status?.id ?? '',
    status: undefined,
  });
  await world.untilReason('service', 'c', 'Lost');

  const said = await everythingSaid(world);
  expect(said).toContain('cloud call');
  expect(passwords.size).toBeGreaterThanOrEqual(3);
  const secrets = [...passwords, world.project.apiKey, refused.apiKey].flatMap((text) => [
    text,
    Buffer.from(text).toString('base64'),
    encodeURIComponent(text),
  ]);
  expect(secrets.filter((secret) => said.includes(secret))).toEqual([]);
});
