import { expect, inject, test } from 'vitest';
import {
  manager,
  leases,
  type ElectionSettings,
  type Running,
} from '../../../src/runtime/index.ts';
import { kubeconfig } from '../../../src/runtime/kubeconfig.ts';
import { kubectl, serviceAccountToken } from '../../control-plane/kubectl.ts';
import { kubeconfigFor, kubeconfigText } from '../../control-plane/kubeconfig.ts';
import { until } from '../../support/until.ts';
import { configMaps, linked, shop, type Shop } from './cluster.ts';

const name = 'operator';
const timing = { leaseDurationMs: 15_000, renewDeadlineMs: 10_000, retryPeriodMs: 500 };

async function must(args: readonly string[]): Promise<void> {
  const { code, stderr } = await kubectl(inject('controlPlane'), [...args]);
  if (code !== 0) throw new Error(stderr);
}

/** A ServiceAccount in `home` that may keep a Lease there. The binding of a namespace lets it watch ConfigMaps in that namespace. */
async function account(home: Shop) {
  const { namespace } = home;
  await must(['create', 'serviceaccount', name, '-n', namespace]);
  await must([
    'create',
    'role',
    name,
    '-n',
    namespace,
    '--verb=get,create,update',
    '--resource=leases.coordination.k8s.io',
  ]);
  await must([
    'create',
    'rolebinding',
    name,
    '-n',
    namespace,
    `--role=${name}`,
    `--serviceaccount=${namespace}:${name}`,
  ]);
  const token = await serviceAccountToken(inject('controlPlane'), namespace, name);
  const untilItMayList = async ({ namespace: place }: Shop, wanted: boolean) => {
    await using asked = linked({ token });
    await until(`the answer in ${place} to be ${wanted ? 'a list' : 'a refusal'}`, async () => {
      const isGiven = await asked.client.list(configMaps, { namespace: place, limit: 1 }).then(
        () => true,
        () => false,
      );
      return isGiven === wanted;
    });
  };
  return {
    token,
    bind: async (there: Shop) => {
      const inThere = ['-n', there.namespace];
      await must([
        'create',
        'role',
        'watcher',
        ...inThere,
        '--verb=get,list,watch',
        '--resource=configmaps',
      ]);
      await must([
        'create',
        'rolebinding',
        'watcher',
        ...inThere,
        '--role=watcher',
        `--serviceaccount=${namespace}:${name}`,
      ]);
      await untilItMayList(there, true);
    },
    unbind: async (there: Shop) => {
      await must(['delete', 'rolebinding,role', 'watcher', '-n', there.namespace]);
      await untilItMayList(there, false);
    },
  };
}

/** A process with a cache of the ConfigMaps in these namespaces. */
async function begun(token: string, places: readonly Shop[], election?: ElectionSettings) {
  const { server, caData } = inject('controlPlane');
  const logged: { readonly level: string; readonly message: string; readonly fields: object }[] =
    [];
  const take = (level: string) => (fields: object, message: string) =>
    void logged.push({ level, message, fields });
  const runtime = manager({
    name,
    apiServer: () =>
      kubeconfig({
        text: kubeconfigText(kubeconfigFor({ server, caData }, { token })),
      }).apiServer(),
    namespaces: places.map(({ namespace }) => namespace),
    log: { debug: () => undefined, info: take('info'), warn: take('warn'), error: take('error') },
    random: () => 0,
    health: { host: '127.0.0.1', port: 0 },
    election,
  });
  runtime.cache(configMaps);
  const running: Running = await runtime.start();
  return {
    running,
    runtime,
    /** About lists that are missing. */
    said: () => logged.filter(({ message }) => message.includes('a list')),
    async readyz() {
      const reply = await fetch(`http://127.0.0.1:${running.healthPort}/readyz`);
      return { status: reply.status, text: await reply.text() };
    },
    [Symbol.asyncDispose]: () => running.stop(1_000),
  };
}

const refusal: unknown = expect.stringContaining('forbidden (403)');
const warning = (list: string) => ({
  level: 'warn',
  message:
    'a list is missing: changes in it are not seen, and no process begins to work without it',
  fields: { list, error: refusal },
});

test(
  'a process that may not list in one of its namespaces says in which, once, and begins when it may',
  { timeout: 120_000 },
  async () => {
    await using home = await shop();
    await using refused = await shop();
    const { token, bind } = await account(home);
    await bind(home);
    await using one = await begun(token, [home, refused]);
    const list = `configmaps in the namespace ${refused.namespace}`;
    const reason = `waiting for the list of ${list}: forbidden (403)\n`;
    const { status, text } = await until('the list to be named', async () => {
      const answer = await one.readyz();
      return answer.text.includes('the list of') && answer;
    });
    expect({ status, text }).toEqual({
      status: 503,
      text: `waiting for the first lists\n${reason}`,
    });
    expect(one.runtime.missingLists).toHaveLength(1);
    await bind(refused);
    await one.running.started;
    expect(await one.readyz()).toEqual({ status: 200, text: 'ok\n' });
    await until('the end of the refusal to be logged', () => one.said().length > 1);
    expect(one.said()).toEqual([
      warning(list),
      expect.objectContaining({ level: 'info', fields: { list } }),
    ]);
    expect(one.runtime.missingLists).toEqual([]);
  },
);

test(
  'a leader that may not list does nothing, names the list, and gives the lease back; with the right put back, the next one works',
  { timeout: 120_000 },
  async () => {
    await using home = await shop();
    await using refused = await shop();
    const { token, bind, unbind } = await account(home);
    for (const each of [home, refused]) await bind(each);
    const lease = { namespace: home.namespace, name };
    const spec = { holderIdentity: 'before', leaseDurationSeconds: 3_600, leaseTransitions: 0 };
    await home.client.create(leases, home.namespace, { metadata: { name }, spec });
    const holder = async () => (await home.client.get(leases, home.key(name)))?.spec.holderIdentity;
    const list = `configmaps in the namespace ${refused.namespace}`;
    {
      await using one = await begun(token, [home, refused], {
        ...timing,
        ...lease,
        identity: 'one',
        catchUpMs: 20_000,
      });
      let hasStarted = false;
      one.running.started.then(
        () => (hasStarted = true),
        () => undefined,
      );
      await until('the process to stand by', async () => (await one.readyz()).status === 200);
      await unbind(refused);
      await home.client.patch(leases, home.key(name), { spec: { holderIdentity: '' } });
      await until('the process to win', async () => (await holder()) === 'one');
      await until(
        'the list to be named',
        async () =>
          (await one.readyz()).text === `waiting for the list of ${list}: forbidden (403)\n`,
      );
      expect(one.runtime.isActing).toBe(false);
      expect(await one.running.lost).toBe(
        `the lease is given back: for 20 s the caches did not match the API server (the list of ${list}: forbidden (403))`,
      );
      await one.running.stop(1_000);
      expect(one.said()).toEqual([warning(list)]);
      expect(hasStarted).toBe(false);
    }
    expect(await holder()).toBe('');
    await bind(refused);
    await using two = await begun(token, [home, refused], { ...timing, ...lease, identity: 'two' });
    await two.running.started;
    expect([await holder(), two.runtime.isActing, two.said()]).toEqual(['two', true, []]);
  },
);
