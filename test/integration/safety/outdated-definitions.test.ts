import { expect, test } from 'vitest';
import { startControlPlane } from '../../control-plane/control-plane.ts';
import { kubectl } from '../../control-plane/kubectl.ts';
import { callsOf } from '../../support/cloud-calls.ts';
import { definitionWithout } from '../../support/cluster-of-yesterday.ts';
import { service } from '../../support/manifests.ts';
import { until } from '../../support/until.ts';
import { startWorld } from '../../support/world.ts';

/** An older definition: the API server drops what it does not know, such as `deletionPolicy: Retain`. */

test(
  'an older definition deletes no database, neither while it is there nor once it is up to date again',
  { timeout: 120_000 },
  async () => {
    await using world = await startWorld({ start: false });
    await using plane = await startControlPlane({ crds: 'crds' });
    const run = (args: readonly string[], input?: string) =>
      kubectl(plane.handle, ['-n', 'default', ...args], input === undefined ? {} : { input });
    const define = async (definition: object) =>
      expect(await run(['replace', '-f', '-'], JSON.stringify(definition))).toMatchObject({ code: 0 });
    const ready = async (name: string) =>
      (await run(['get', 'msvc', name, '-o', 'jsonpath={.status.conditions[0].reason} {.status.conditions[0].message}'])).stdout;
    const untilSays = (name: string, ...words: readonly string[]) =>
      until(
        `${name} to say ${words.join(' and ')}`,
        async () => {
          const said = await ready(name);
          expect(callsOf(world, 'deleteService')).toBe(0);
          return words.every((word) => said.includes(word));
        },
        () => ready(name),
      );
    const operator = () => world.startOperator({ cluster: plane.handle, settings: { namespaces: ['default'] } });
    await (
      await operator()
    ).started;
    const manifests = [service('orders', { deletionPolicy: 'Retain' }), service('old', { deletionPolicy: 'Delete' })];
    for (const manifest of manifests) await run(['apply', '-f', '-'], JSON.stringify(manifest));
    for (const name of ['orders', 'old']) await untilSays(name, 'Available');

    const file = 'managedservices.yaml';
    await define(await definitionWithout(new Set(['deletionPolicy', 'rotation', 'x-kubernetes-validations']), file));
    await run(['delete', '--wait=false', 'msvc', 'orders', 'old']);
    for (const name of ['orders', 'old']) {
      await untilSays(name, 'DefinitionOutdated', 'drops spec.deletionPolicy, spec.password.rotation: set crds.install=true');
    }
    await world.stopOperators();
    const works = () => world.log.filter((line) => line.includes('the operator works')).length;
    const waiting = await operator();
    await until('the start to wait', () =>
      world.log.some((line) =>
        line.includes(
          'waiting for a newer definition: the CustomResourceDefinition managedservices.managed-db.io is older than the operator',
        ),
      ),
    );
    expect(works()).toBe(1);

    await define(await definitionWithout(new Set(), file));
    await waiting.started;
    for (const name of ['orders', 'old']) await untilSays(name, 'DefinitionOutdated', 'was older than the operator');
    expect(callsOf(world, 'deleteService')).toBe(0);
    for (const manifest of manifests) expect(await run(['apply', '-f', '-'], JSON.stringify(manifest))).toMatchObject({ code: 0 });
    for (const name of ['orders', 'old'])
      expect(await run(['wait', '--for=delete', '--timeout=30s', `msvc/${name}`])).toMatchObject({ code: 0 });
    const kept = world.project.everCreated.filter(({ deletedAt }) => deletedAt === undefined);
    expect(kept.map(({ name }) => name?.replace(/-.*/u, ''))).toEqual(['orders']);
    expect(callsOf(world, 'deleteService')).toBe(1);
  },
);
