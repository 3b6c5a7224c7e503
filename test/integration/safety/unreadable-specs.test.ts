import { expect, test } from 'vitest';
import { kubectl } from '../../control-plane/kubectl.ts';
import { callsOf } from '../../support/cloud-calls.ts';
import { clusterOfYesterday } from '../../support/cluster-of-yesterday.ts';
import { replicaSet, secret, service, vpc } from '../../support/manifests.ts';
import { until } from '../../support/until.ts';
import { startWorld } from '../../support/world.ts';

/** An object whose spec cannot be read is still an object. test/unit/resources/stored-objects.test.ts has the table of specs. */

test(
  'an object with an unreadable spec is reported, changes nothing, delays no other object and can be deleted',
  { timeout: 120_000 },
  async () => {
    await using world = await startWorld({ start: false });
    await using plane = await clusterOfYesterday();
    const run = (args: readonly string[], input?: string) =>
      kubectl(plane.handle, ['-n', 'default', ...args], input === undefined ? {} : { input });
    const apply = async (...manifests: readonly object[]) => {
      const list = { apiVersion: 'v1', kind: 'List', items: manifests };
      expect(
        await run(['apply', '--server-side', '--force-conflicts', '-f', '-'], JSON.stringify(list)),
      ).toMatchObject({ code: 0 });
    };
    const ready = async (object: string) =>
      (
        await run([
          'get',
          object,
          '-o',
          'jsonpath={.status.conditions[1].reason} {.status.conditions[1].message}',
        ])
      ).stdout;
    const untilSays = (object: string, reason: string) =>
      until(`${object} to say ${reason}`, async () => {
        const said = await ready(object);
        return said.startsWith(reason) ? said : undefined;
      });
    await world.startedOperator({ cluster: plane.handle, settings: { namespaces: ['default'] } });

    // An existing object whose spec becomes unreadable with an edit.
    const key = { credentialsRef: { name: 'cloud' } };
    await apply(
      secret('cloud', { apiKey: world.project.apiKey }),
      vpc('prod'),
      service('orders'),
      service('keyed', key),
      service('second', key),
      service('secretive'),
    );
    for (const object of [
      'mvpc/prod',
      'msvc/orders',
      'msvc/keyed',
      'msvc/second',
      'msvc/secretive',
    ])
      await untilSays(object, 'Available');
    await apply(replicaSet('reads', 'orders'));
    await untilSays('rrset/reads', 'Available');
    await apply(
      vpc('prod', { name: 'renamed', managementPolicy: 'Watch' }),
      service('orders', { cpuMillis: 2 ** 53, connectionPooler: { enabled: true } }),
      service('keyed', { ...key, vpcRef: { name: 'a/b' } }),
      replicaSet('reads', 'orders', { memoryGbs: 2 ** 40 }),
      service('secretive', { password: { secretRef: { name: '..' } } }),
    );
    // A new object.
    await apply(
      service('huge', { cpuMillis: 2 ** 53 }),
      service('elsewhere', { password: { secretRef: { name: '..', key: '.' } } }),
      service('keyless', { credentialsRef: { name: '..' } }),
    );
    const made = world.project.everCreated.length;
    expect(await untilSays('msvc/orders', 'Rejected')).toContain(
      'spec.cpuMillis cannot be read: it is 9007199254740992',
    );
    expect(await untilSays('msvc/keyed', 'Rejected')).toContain(
      'spec.vpcRef.name cannot be read: it is "a/b"',
    );
    expect(await untilSays('rrset/reads', 'Rejected')).toContain('spec.memoryGbs');
    expect(await untilSays('msvc/secretive', 'Rejected')).toContain(
      'spec.password.secretRef.name cannot be read: it is ".."',
    );
    expect(await untilSays('mvpc/prod', 'Rejected')).toContain(
      'the operator changes and deletes nothing',
    );
    expect(await untilSays('msvc/huge', 'Rejected')).toContain('the operator changes nothing');
    expect(await untilSays('msvc/elsewhere', 'Rejected')).toContain(
      '(also spec.password.secretRef.key)',
    );
    expect(await untilSays('msvc/keyless', 'Rejected')).toContain('spec.credentialsRef.name');
    expect(world.project.everCreated.length).toBe(made);
    expect(
      (['enableServicePooler', 'renameVpc', 'resizeReplicaSet'] as const).map((operation) =>
        callsOf(world, operation),
      ),
    ).toEqual([0, 0, 0]);

    // A field that decides about a deletion holds it until it is corrected; all else goes by the recorded id.
    await run(['delete', '--wait=false', 'mvpc/prod']);
    const others = [
      'rrset/reads',
      'msvc/orders',
      'msvc/huge',
      'msvc/elsewhere',
      'msvc/keyed',
      'msvc/second',
      'msvc/secretive',
    ];
    expect(await run(['delete', '--timeout=30s', ...others])).toMatchObject({ code: 0 });
    expect(await run(['delete', '--timeout=30s', 'secret/cloud'])).toMatchObject({ code: 0 });
    expect(await ready('mvpc/prod')).toContain(
      'Rejected spec.managementPolicy cannot be read: it is "Watch"',
    );
    expect(callsOf(world, 'deleteVpc')).toBe(0);
    await run([
      'patch',
      'mvpc',
      'prod',
      '--type=merge',
      '-p',
      '{"spec":{"managementPolicy":"Manage"}}',
    ]);
    expect(await run(['wait', '--for=delete', '--timeout=30s', 'mvpc/prod'])).toMatchObject({
      code: 0,
    });
    expect(world.project.everCreated.filter(({ deletedAt }) => deletedAt === undefined)).toEqual(
      [],
    );
  },
);
