import { expect, test } from 'vitest';
import { startControlPlane } from '../../control-plane/control-plane.ts';
import { kubectl } from '../../control-plane/kubectl.ts';
import { callsOf } from '../../support/cloud-calls.ts';
import { definitionWithout } from '../../support/cluster-of-yesterday.ts';
import { service } from '../../support/manifests.ts';
import { until } from '../../support/until.ts';
import { startWorld } from '../../support/world.ts';

/** An older definition: the API server drops the fields that it does not know, such as `deletionPolicy: Retain`. */

test(
  'an older definition stops a running operator before it deletes anything, and it continues with the definition of its version',
  { timeout: 120_000 },
  async () => {
    await using world = await startWorld({ start: false });
    await using plane = await startControlPlane({ crds: 'crds' });
    const run = (args: readonly string[], input?: string) =>
      kubectl(plane.handle, ['-n', 'default', ...args], input === undefined ? {} : { input });
    const define = async (removed: readonly string[]) => {
      const definition = await definitionWithout(new Set(removed), 'managedservices.yaml');
      expect(await run(['replace', '-f', '-'], JSON.stringify(definition))).toMatchObject({
        code: 0,
      });
    };
    const ready = async (name: string) =>
      (await run(['get', 'msvc', name, '-o', 'jsonpath={.status.conditions[1].reason}'])).stdout;
    const operator = () =>
      world.startOperator({ cluster: plane.handle, settings: { namespaces: ['default'] } });
    const older = ['deletionPolicy', 'rotation', 'x-kubernetes-validations'];
    const outdated =
      'the CustomResourceDefinition managedservices.managed-db.io is older than the operator, so that the API server drops spec.deletionPolicy, spec.password.rotation: set crds.install=true';
    const idle = await operator();
    await idle.started;
    await define(older);
    expect(await idle.lost).toContain(outdated);
    await world.stopOperators();
    await define([]);

    const first = await operator();
    await first.started;
    for (const manifest of [
      service('orders', { deletionPolicy: 'Retain' }),
      service('old', { deletionPolicy: 'Delete' }),
    ])
      await run(['apply', '-f', '-'], JSON.stringify(manifest));
    for (const name of ['orders', 'old'])
      await until(`${name} to be ready`, async () => (await ready(name)) === 'Available');

    await define(older);
    await run(['delete', '--wait=false', 'msvc', 'old']);
    expect(await first.lost).toContain(outdated);
    await world.stopOperators();
    const waiting = await operator();
    await until('the start to wait', () =>
      world.log.some((line) => line.includes(`waiting for a newer definition: ${outdated}`)),
    );
    expect(callsOf(world, 'deleteService')).toBe(0);

    await define([]);
    await waiting.started;
    expect(await run(['wait', '--for=delete', '--timeout=30s', 'msvc/old'])).toMatchObject({
      code: 0,
    });
    expect(await run(['delete', '--timeout=30s', 'msvc', 'orders'])).toMatchObject({ code: 0 });
    const kept = world.project.everCreated.filter(({ deletedAt }) => deletedAt === undefined);
    expect(kept.map(({ name }) => name?.replace(/-.*/u, ''))).toEqual(['orders']);
    expect(callsOf(world, 'deleteService')).toBe(1);
  },
);
