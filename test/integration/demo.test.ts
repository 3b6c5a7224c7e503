import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { operatorProcess } from '../support/operator-process.ts';
import { until } from '../support/until.ts';
import { npmRun } from './keep-up-process.ts';

/** Where the binaries of the control plane are. */
const places = Object.fromEntries(
  ['HOME', 'XDG_CACHE_HOME', 'KUBEBUILDER_ASSETS'].flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value]];
  }),
);

test(
  'the demo brings all samples to Ready, shows no password, deletes everything and ends',
  { timeout: 120_000 },
  async () => {
    await using demo = operatorProcess(['demo', '--once'], places);
    expect([await demo.ended, demo.stderr()]).toEqual([0, '']);
    const said = demo.stdout();
    expect(said).toContain('password  ********');
    expect(said).toContain('The cloud is empty again.');
    // The demo deletes its cluster, so it offers no kubeconfig for it.
    expect(said).not.toContain('KUBECONFIG');
  },
);

test.each(['SIGINT', 'SIGTERM'] as const)(
  '%s during the start of the demo ends it at once with 130',
  async (name) => {
    await using demo = operatorProcess(['demo'], places);
    await until('the first step', () => demo.stdout().includes('Kubernetes control plane ...'));
    demo.kill(name);
    await until('an answer', () => demo.stdout().includes('Stopping ...'));
    // The first step is still at work: the answer did not wait for it.
    expect(demo.stdout()).not.toContain('done: ');
    expect([await demo.ended, demo.stderr()]).toEqual([130, '']);
  },
);

test('the death of npm ends the demo', { timeout: 60_000 }, async () => {
  const npm = npmRun('demo');
  let said = '';
  npm.stdout.setEncoding('utf8').on('data', (text: string) => (said += text));
  await until('the second step', () => said.includes('Custom resources'));
  npm.kill('SIGKILL');
  // Its output is the demo's, and is closed when both have ended.
  await once(npm, 'close');
  expect(said).toContain('Stopping ...');
});

test(
  'the demo keeps running, prints its addresses, and ends with success on Ctrl-C',
  { timeout: 120_000 },
  async () => {
    await using demo = operatorProcess(['demo'], places);
    // Each may take long on a busy machine.
    for (const words of [
      'done: Kubernetes control plane',
      'done: kubectl apply',
      'Ctrl-C ends everything.',
    ])
      await until(
        words,
        () => demo.stdout().includes(words),
        () => [demo.stdout(), demo.stderr()],
      );
    const said = demo.stdout();
    expect(said).toContain(
      'The operator serves every namespace of this cluster; the samples are in namespace demo.',
    );
    const [, kubeconfig = '', folder = ''] =
      /^ {2}export KUBECONFIG=(\S+) PATH=([^:\s]+):\$PATH$/mu.exec(said) ?? [];
    const kubectl = async (...args: readonly string[]) =>
      (
        await promisify(execFile)(join(folder, 'kubectl'), args, {
          env: { KUBECONFIG: kubeconfig, KUBECACHEDIR: join(dirname(kubeconfig), 'cache') },
        })
      ).stdout;
    await kubectl('create', 'namespace', 'elsewhere');
    await kubectl('apply', '-n', 'elsewhere', '-f', 'deploy/samples/vpc.yaml');
    await kubectl(
      'wait',
      '-n',
      'elsewhere',
      '-f',
      'deploy/samples/vpc.yaml',
      '--for=condition=Ready',
      '--timeout=20s',
    );
    demo.kill('SIGINT');
    expect([await demo.ended, demo.stderr()]).toEqual([0, '']);
    // By now, the server of another test may have the port.
    await expect(kubectl('get', 'namespaces')).rejects.toThrow('Command failed');
  },
);

test.each([
  ['--twice', "Unknown option '--twice'"],
  ['--once=no', "'--once' does not take an argument"],
])('the demo refuses the argument %s and prints its help', async (argument, message) => {
  await using demo = operatorProcess(['demo', argument]);
  expect(await demo.ended).toBe(2);
  expect(demo.stderr()).toContain(message);
  expect(demo.stderr()).toContain('npm run demo -- --once');
});

test('closing the terminal ends the demo; the Ctrl-C that npm repeats does not count as a second one', async () => {
  await using closed = operatorProcess(['demo'], places);
  await using twice = operatorProcess(['demo'], places);
  for (const demo of [closed, twice])
    await until('the first step', () => demo.stdout().includes('Kubernetes control plane ...'));
  closed.kill('SIGHUP');
  twice.kill('SIGINT');
  twice.kill('SIGINT');
  expect([await closed.ended, await twice.ended]).toEqual([130, 130]);
});
