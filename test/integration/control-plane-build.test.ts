import { once } from 'node:events';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test, vi } from 'vitest';
import { startKeepUp, temporaryFolder } from './keep-up-process.ts';

/** Runs `npm run control-plane` to its end, with an empty cache unless the environment names a cache. */
async function keepUp(
  environment: Record<string, string>,
  ...args: string[]
): Promise<{ code: number | null; stderr: string }> {
  const keeper = startKeepUp(
    {
      XDG_CACHE_HOME: await temporaryFolder(),
      KUBEBUILDER_ASSETS: '',
      MANAGED_DB_TEST_KUBERNETES: '',
      ...environment,
    },
    args,
  );
  const [stderr] = await Promise.all([text(keeper.stderr), once(keeper, 'close')]);
  return { code: keeper.exitCode, stderr };
}

/** A folder with a program `go`; its sixth argument is the folder to build into. */
async function fakeGo(script: string): Promise<string> {
  const folder = await temporaryFolder();
  await writeFile(join(folder, 'go'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return folder;
}

const buildsProgramsThatFail = `[ $1 = version ] && exit
mkdir "$6" && cd "$6" && sleep 2
for name in server kube-apiserver kube-controller-manager kubectl helm; do
  printf '#!/bin/sh\\necho broken on purpose\\nexit 1\\n' > $name; chmod +x $name
done`;

test('an unknown argument does not start a control plane', async () => {
  const nothing = { PATH: await temporaryFolder() };
  expect(await keepUp(nothing, '--help')).toEqual({ code: 0, stderr: '' });
  const wrong = await keepUp(nothing, '--port=1');
  expect(wrong.code).toBe(2);
  expect(wrong.stderr).toContain('"--port=1" is not understood');
});

test('without Go and KUBEBUILDER_ASSETS, two lines name the programs to install', async () => {
  const result = await keepUp({ PATH: await temporaryFolder() });
  expect(result.code).toBe(1);
  expect(result.stderr.trimEnd().split('\n')).toEqual([
    expect.stringContaining('install Go'),
    expect.stringContaining('set KUBEBUILDER_ASSETS'),
  ]);
});

test('a failed build ends with the output of go', async () => {
  const go = await fakeGo(
    `case $1 in build) echo "go: no space left on device" >&2; exit 1;; esac`,
  );
  const result = await keepUp({ PATH: `${go}:/usr/bin:/bin` });
  expect(result.code).toBe(1);
  expect(result.stderr).toMatch(
    /could not build the Kubernetes control plane.*:\ngo: no space left on device\n$/,
  );
});

test('of two processes that need the same build, one builds, and the other names it and waits', async () => {
  const go = await fakeGo(buildsProgramsThatFail);
  const cacheHome = await temporaryFolder();
  const environment = { PATH: `${go}:/usr/bin:/bin`, XDG_CACHE_HOME: cacheHome };
  const outputs = (await Promise.all([keepUp(environment), keepUp(environment)])).map(
    ({ stderr }) => stderr,
  );
  expect(
    outputs.filter((output) => output.includes('building the Kubernetes control plane')),
  ).toHaveLength(1);
  expect(outputs.filter((output) => output.includes('waiting for process'))).toHaveLength(1);
  expect(await readdir(join(cacheHome, 'managed-db-operator', 'control-plane'))).toHaveLength(1);
});

test('a new build succeeds despite the lock and files of a killed build', async () => {
  const go = await fakeGo(buildsProgramsThatFail);
  const cacheHome = await temporaryFolder();
  const killed = startKeepUp({
    PATH: `${await fakeGo('[ $1 = version ] || { mkdir "$6"; sleep 60; }')}:/usr/bin:/bin`,
    MANAGED_DB_TEST_KUBERNETES: '',
    XDG_CACHE_HOME: cacheHome,
  });
  const builds = join(cacheHome, 'managed-db-operator', 'control-plane');
  await vi.waitFor(async () => expect((await readdir(builds)).join()).toContain('unfinished'), {
    timeout: 10_000,
  });
  process.kill(-(killed.pid ?? Number.NaN), 'SIGKILL');
  const result = await keepUp({ PATH: `${go}:/usr/bin:/bin`, XDG_CACHE_HOME: cacheHome });
  expect(result.stderr).toContain('the Kubernetes control plane is built');
  expect(await readdir(builds)).toHaveLength(1);
});

test('only the programs that $KUBEBUILDER_ASSETS lacks are built', async () => {
  const assets = await temporaryFolder();
  for (const name of ['etcd', 'kube-apiserver', 'kubectl'])
    await writeFile(join(assets, name), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
  const go = await fakeGo('[ $1 = version ] && exit; shift 6; echo "asked for: $*" >&2; exit 1');
  const result = await keepUp({ PATH: `${go}:/usr/bin:/bin`, KUBEBUILDER_ASSETS: assets });
  expect(result.stderr).toContain(
    'building the Kubernetes control plane (kube-controller-manager, helm)',
  );
  expect(result.stderr).toContain(
    'asked for: k8s.io/kubernetes/cmd/kube-controller-manager helm.sh/helm/v4/cmd/helm\n',
  );
});

test('an older version of Kubernetes is built from its own module, without its programs of $KUBEBUILDER_ASSETS', async () => {
  const assets = await temporaryFolder();
  for (const name of ['kube-apiserver', 'kubectl'])
    await writeFile(join(assets, name), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
  const go = await fakeGo(
    '[ $1 = version ] && exit; echo "in ${PWD#*test/}: $4" >&2; shift 6; echo "asked for: $*" >&2; exit 1',
  );
  const result = await keepUp({
    PATH: `${go}:/usr/bin:/bin`,
    KUBEBUILDER_ASSETS: assets,
    MANAGED_DB_TEST_KUBERNETES: '1.31',
  });
  expect(result.code).toBe(1);
  expect(result.stderr).toMatch(
    /in control-plane\/kubernetes\/1\.31: .*version\.gitVersion=v1\.31\.\d+ .*version\.gitMinor=31 /u,
  );
  expect(result.stderr).toContain(
    'asked for: k8s.io/kubernetes/cmd/kube-apiserver k8s.io/kubernetes/cmd/kube-controller-manager k8s.io/kubernetes/cmd/kubectl\n',
  );
});

test('a version of Kubernetes without a module ends with the versions that have a module', async () => {
  const result = await keepUp({
    PATH: await temporaryFolder(),
    MANAGED_DB_TEST_KUBERNETES: '1.30',
  });
  expect(result).toEqual({
    code: 1,
    stderr:
      'there is no module for Kubernetes "1.30" in test/control-plane/kubernetes: choose 1.31, 1.33, 1.35\n',
  });
});

test('a server that does not start is reported with the end of its log', async () => {
  const go = await fakeGo(buildsProgramsThatFail);
  const result = await keepUp({ PATH: `${go}:/usr/bin:/bin` });
  expect(result.code).toBe(1);
  expect(result.stderr).toMatch(
    /etcd ended while starting; the end of its log:\nbroken on purpose\n$/,
  );
});
