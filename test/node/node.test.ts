import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { expect, test } from 'vitest';
import { certificateFor } from '../support/certificate.ts';
import { root } from './cache.ts';
import { apply, helm, kubectl, nodeName, within } from './cluster.ts';
import { operatorImage } from './images.ts';
import type { OperatorPod } from './operator.ts';
import {
  applyFile,
  databases,
  evaluate,
  holder,
  home,
  leader,
  operator,
  operatorPods,
  processOf,
  serving,
} from './operator.ts';

// A single story on a single node: each test continues the state of the test before it.

const chart = 'deploy/helm/managed-db-operator';
const deployment = ['-n', home, `deploy/${operator}`];
const cloudAddress = '203.0.113.20';
const limit = 256 * 1024 * 1024;

const withCloud = {
  config: {
    cloudUrl: `https://${cloudAddress}`,
    operatorCredentialsNamespaces: ['default', 'burst'],
    cloudCaFile: '/etc/cloud-ca/ca.crt',
    rateLimit: 100,
    rateBurst: 100,
  },
  extraVolumes: [{ name: 'cloud-ca', configMap: { name: 'cloud-ca' } }],
  extraVolumeMounts: [{ name: 'cloud-ca', mountPath: '/etc/cloud-ca', readOnly: true }],
};

async function install(command: 'install' | 'upgrade', values: object): Promise<string> {
  const settings = Object.entries(values).flatMap(([name, value]) => [
    '--set-json',
    `${name}=${JSON.stringify(value)}`,
  ]);
  return helm(command, operator, chart, '-n', home, '--wait', '--timeout=3m', ...settings);
}

async function passwordInVolume(): Promise<string> {
  return kubectl('exec', 'deploy/shop', '--', 'cat', '/etc/database/password');
}

function service(name: string): object {
  const [apiVersion, kind] = ['managed-db.io/v1alpha1', 'ManagedService'];
  return { apiVersion, kind, metadata: { name }, spec: { cpuMillis: 1000, memoryGbs: 4 } };
}

async function ready(name: string): Promise<void> {
  await kubectl('wait', `managedservice/${name}`, '--for=condition=Ready', '--timeout=120s');
}

async function gone(): Promise<void> {
  await kubectl('wait', 'pod', '--all', '-n', home, '--for=delete', '--timeout=2m');
}

/** Creates services with these names, as many at once as kubectl does. */
async function create(names: readonly string[]): Promise<void> {
  await apply(
    stringify({ apiVersion: 'v1', kind: 'List', items: names.map(service) }),
    '--server-side',
    '-n',
    'burst',
  );
}

async function readyInBurst(): Promise<number> {
  const path =
    'jsonpath={range .items[*]}{.status.conditions[?(@.type=="Ready")].status}{"\\n"}{end}';
  const text = await kubectl('get', 'managedservices', '-n', 'burst', '-o', path);
  return text.split('\n').filter((status) => status === 'True').length;
}

async function anotherLeader({ name }: OperatorPod, seconds: number): Promise<number> {
  const begun = performance.now();
  await within(seconds, 'another leader', async () => {
    const now = await holder();
    return now !== '' && !now.startsWith(`${name}_`);
  });
  return (performance.now() - begun) / 1000;
}

async function bothServe(): Promise<void> {
  await within(
    120,
    'two Pods to be Ready',
    async () => (await operatorPods()).length === 2 && (await serving()) === 2,
  );
}

/** The fewest Pods that served at a time while `body` ran. */
async function fewestServing(body: Promise<unknown>): Promise<number> {
  const work = { runs: true };
  const ended = body.finally(() => (work.runs = false));
  let fewest = Infinity;
  while (work.runs) fewest = Math.min(fewest, await serving());
  await ended;
  return fewest;
}

test('the image of the Dockerfile says its version without a setting', async () => {
  const pod = ['--image', operatorImage, '--restart=Never', '--', '--version'];
  await kubectl('run', 'version', ...pod);
  await kubectl('wait', 'pod/version', '--for=jsonpath={.status.phase}=Succeeded', '--timeout=60s');
  expect(await kubectl('logs', 'version')).toMatch(/0\.1\.0/u);
  await kubectl('delete', 'pod', 'version');
});

test('helm install into a restricted namespace says no warning, and its Pod becomes Ready', async () => {
  await kubectl('create', 'namespace', home);
  await kubectl('label', 'namespace', home, 'pod-security.kubernetes.io/enforce=restricted');
  const said = await install('install', { simulator: { enabled: true } });
  expect(said).not.toMatch(/warning/iu);
});

test('the operator has no capability, no folder to write to but /dev, and the memory that its limit names', async () => {
  const text = await evaluate(
    deployment,
    `import { accessSync, constants, readFileSync, readdirSync } from 'node:fs';
     const writable = [];
     const look = (folder) => {
       try { accessSync(folder, constants.W_OK); writable.push(folder); } catch {}
       let entries = [];
       try { entries = readdirSync(folder, { withFileTypes: true }); } catch {}
       for (const entry of entries) {
         const path = (folder === '/' ? '' : folder) + '/' + entry.name;
         if (entry.isDirectory() && !['/proc', '/sys', '/dev'].includes(path)) look(path);
       }
     };
     look('/');
     const status = readFileSync('/proc/self/status', 'utf8');
     const of = (name) => new RegExp('^' + name + ':\\\\s+(\\\\S+)', 'm').exec(status)?.[1];
     const facts = ['Uid', 'CapBnd', 'CapEff', 'NoNewPrivs', 'Seccomp'].map((name) => [name, of(name)]);
     console.log(JSON.stringify({ ...Object.fromEntries(facts), writable, limit: process.constrainedMemory() }));`,
  );
  expect(JSON.parse(text)).toEqual({
    Uid: '65532',
    CapBnd: '0000000000000000',
    CapEff: '0000000000000000',
    NoNewPrivs: '1',
    Seccomp: '2',
    writable: [],
    limit,
  });
});

test('the app of the first database has its variables and its volume', async () => {
  await apply(stringify(service('orders')));
  await ready('orders');
  await applyFile('shop.yaml');
  await kubectl('rollout', 'status', 'deployment/shop', '--timeout=60s');
  const variables = await kubectl('exec', 'deploy/shop', '--', 'env');
  expect(variables).toMatch(/^DATABASE_URL=postgres(ql)?:\/\//mu);
  const host = await kubectl('exec', 'deploy/shop', '--', 'cat', '/etc/database/host');
  expect(variables).toContain(`PGHOST=${host}\n`);
});

test('a rotated password reaches the volume of a Pod in two minutes', async () => {
  const before = await passwordInVolume();
  const spec = { spec: { password: { rotation: '2026-12' } } };
  await kubectl('patch', 'managedservice/orders', '--type=merge', '-p', JSON.stringify(spec));
  await within(
    120,
    'the new password in the volume',
    async () => (await passwordInVolume()) !== before,
  );
  await ready('orders');
  expect(await passwordInVolume()).toMatch(/^\S+$/u);
});

test('the program answers in the Pod of the operator', async () => {
  const said = await kubectl('exec', ...deployment, '--', 'managed-db', 'why', '-A');
  expect(said).toMatch(/^0 of \d objects? not as specified\.$/mu);
  await kubectl(
    'delete',
    'deployment/shop',
    'managedservice/orders',
    '--ignore-not-found',
    '--timeout=120s',
  );
  await helm('uninstall', operator, '-n', home, '--wait');
  await gone();
});

test('two replicas with a cloud behind TLS become Ready', async () => {
  await kubectl('create', 'namespace', 'cloud');
  await kubectl('create', 'namespace', 'burst');
  const { key, cert } = await certificateFor(cloudAddress);
  const tls = { 'tls.key': key, 'tls.crt': cert };
  for (const object of [
    { kind: 'Secret', metadata: { name: 'tls', namespace: 'cloud' }, stringData: tls },
    {
      kind: 'ConfigMap',
      metadata: { name: 'cloud-ca', namespace: home },
      data: { 'ca.crt': cert },
    },
    {
      kind: 'Secret',
      metadata: { name: `${operator}-key`, namespace: home },
      stringData: { apiKey: 'key-of-the-cloud' },
    },
  ])
    await apply(stringify({ apiVersion: 'v1', ...object }));
  await applyFile('cloud.yaml');
  await kubectl('rollout', 'status', '-n', 'cloud', 'deployment/cloud', '--timeout=60s');
  await install('install', withCloud);
  await apply(stringify(service('orders')));
  await ready('orders');
  await bothServe();
  expect(await databases()).toHaveLength(1);
});

test('a leader that is told to end gives the lease away at once', async () => {
  const before = await leader();
  await kubectl('delete', 'pod', before.name, '-n', home, '--wait=false');
  expect(await anotherLeader(before, 60)).toBeLessThan(10);
  await bothServe();
});

test('a leader that is killed is followed once its lease is over, and runs again', async () => {
  const before = await leader();
  process.kill(await processOf(before), 'SIGKILL');
  expect(await anotherLeader(before, 60)).toBeLessThan(30);
  await bothServe();
  expect((await operatorPods()).find(({ name }) => name === before.name)?.restarts).toBe(1);
});

test('a drain ends a Pod only while the other serves', async () => {
  const how = ['--ignore-daemonsets', '--force', '--timeout=150s'];
  const drained = kubectl(
    'drain',
    nodeName,
    `--pod-selector=app.kubernetes.io/name=${operator}`,
    ...how,
  );
  const fewest = fewestServing(drained);
  await within(60, 'a Pod without a node', async () => (await serving()) === 1);
  await kubectl('uncordon', nodeName);
  expect(await fewest).toBeGreaterThanOrEqual(1);
  await kubectl('uncordon', nodeName);
  await bothServe();
});

test('helm upgrade always leaves two Pods that serve', async () => {
  const upgrade = install('upgrade', { ...withCloud, podAnnotations: { 'example.com/at': 'now' } });
  expect(await fewestServing(upgrade)).toBeGreaterThanOrEqual(2);
  await bothServe();
});

test('a burst of creates on a tenth of a CPU costs neither lease nor Pod, and is told as no fault', async () => {
  const requests = { cpu: '100m', memory: '96Mi' };
  const resources = { requests, limits: { cpu: '100m', memory: '256Mi' } };
  await install('upgrade', { ...withCloud, resources });
  await bothServe();
  const before = await leader();
  await create(Array.from({ length: 300 }, (_, at) => `burst-${at}`));
  await within(240, 'all to be Ready', async () => (await readyInBurst()) === 300);
  expect((await leader()).name).toBe(before.name);
  expect((await operatorPods()).map(({ restarts }) => restarts)).toEqual([0, 0]);
  const faults = ['-A', '--field-selector=type=Warning,reason=InternalError', '-o', 'yaml'];
  expect(await kubectl('get', 'events', ...faults)).toContain('items: []');
});

test('managed-db why -A at a thousand objects leaves the container below its limit', async () => {
  await install('upgrade', withCloud);
  await bothServe();
  await create(Array.from({ length: 1000 }, (_, at) => `burst-${at}`));
  await within(240, 'all to be Ready', async () => (await readyInBurst()) === 1000);
  const { name } = await leader();
  const said = await kubectl('exec', '-n', home, name, '--', 'managed-db', 'why', '-A');
  expect(said).toContain('0 of 1001 objects not as specified.');
  const peak = await evaluate(
    ['-n', home, name],
    `import { existsSync, readFileSync } from 'node:fs';
     const files = ['memory/memory.max_usage_in_bytes', 'memory.peak'].map((file) => '/sys/fs/cgroup/' + file);
     console.log(readFileSync(files.find((file) => existsSync(file)), 'utf8'));`,
  );
  console.log(`the container's memory was at most ${(Number(peak) / 2 ** 20).toFixed(0)} MiB`);
  expect(Number(peak)).toBeLessThan(limit);
  expect((await operatorPods()).map(({ restarts }) => restarts)).toEqual([0, 0]);
  const names = await databases();
  expect([names.length, new Set(names).size]).toEqual([1001, 1001]);
});

test('an uninstalled operator that is installed again continues with the same databases', async () => {
  const before = await databases();
  await helm('uninstall', operator, '-n', home, '--wait');
  await gone();
  await install('install', withCloud);
  await apply(stringify(service('invoices')));
  await ready('invoices');
  await ready('orders');
  expect((await databases()).length).toBe(before.length + 1);
  await helm('uninstall', operator, '-n', home, '--wait');
  await gone();
});

test('install.yaml does the same without Helm', async () => {
  const before = await databases();
  await kubectl(
    'apply',
    '--server-side',
    '--force-conflicts',
    '-f',
    'deploy/ledger-namespace.yaml',
  );
  const text = await readFile(join(root, 'deploy/install.yaml'), 'utf8');
  const flags = `--cloud-url=https://${cloudAddress}"\n        - "--operator-credentials-namespaces=default,burst`;
  await apply(
    text.replace('--cloud-url=https://api.example.com', flags),
    '--server-side',
    '--force-conflicts',
  );
  // The certificate of this cloud is no value of install.yaml.
  const spec = {
    volumes: [{ name: 'cloud-ca', configMap: { name: 'cloud-ca' } }],
    containers: [
      {
        name: 'operator',
        env: [{ name: 'NODE_EXTRA_CA_CERTS', value: '/etc/cloud-ca/ca.crt' }],
        volumeMounts: withCloud.extraVolumeMounts,
      },
    ],
  };
  const patch = JSON.stringify({ spec: { template: { spec } } });
  await kubectl('patch', '-n', home, `deployment/${operator}`, '-p', patch);
  await kubectl('rollout', 'status', '-n', home, `deployment/${operator}`, '--timeout=120s');
  await bothServe();
  await apply(stringify(service('last')));
  await ready('last');
  expect((await databases()).length).toBe(before.length + 1);
});
