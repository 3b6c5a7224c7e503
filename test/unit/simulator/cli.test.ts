import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { runSimulator } from '../../../src/simulator/cli.ts';
import { startSimulator } from '../../../src/simulator/simulator.ts';
import { operatorProcess } from '../../support/operator-process.ts';
import { until } from '../../support/until.ts';
import { request } from './in-process-cloud.ts';

interface Started {
  /** The output so far. */
  readonly stdout: () => string;
  readonly stderr: () => string;
  readonly end: () => void;
  readonly exitCode: Promise<number>;
}

function start(...argv: string[]): Started {
  const printed = { stdout: '', stderr: '' };
  const ending = new AbortController();
  const exitCode = runSimulator(argv, {
    stdout: { write: (text) => (printed.stdout += text) },
    stderr: { write: (text) => (printed.stderr += text) },
    signal: ending.signal,
  });
  return {
    stdout: () => printed.stdout,
    stderr: () => printed.stderr,
    end: () => ending.abort(),
    exitCode,
  };
}

/** Started on a free port, until it listens. */
async function listening(...argv: string[]): Promise<Started & { readonly url: string }> {
  const started = start('--port', '0', ...argv);
  const url = await until(
    'the greeting',
    () => /listens on (http:\S+)\. /u.exec(started.stdout())?.[1],
    started.stderr,
  );
  return { ...started, url };
}

test('the curl lines of the greeting work as they are printed', { timeout: 30_000 }, async () => {
  const simulator = await listening('--latency', '0');
  const lines = simulator.stdout().match(/curl .*/gu) ?? [];
  const outputs = [];
  for (const line of lines) outputs.push((await promisify(execFile)('sh', ['-c', line])).stdout);
  const [info = '', created = '', list = '', admin = ''] = outputs;
  expect(JSON.parse(info)).toMatchObject({ type: 'apiKey', apiKey: { project: { id: 'prj1' } } });
  expect(JSON.parse(created)).toMatchObject({ name: 'orders', status: 'READY' });
  expect(JSON.parse(list)).toMatchObject([
    { name: 'orders', resources: [{ spec: { cpu_millis: 1_000, memory_gbs: 4 } }] },
  ]);
  expect(admin).toContain('GET    /_simulator/projects');
  simulator.end();
  expect(await simulator.exitCode).toBe(0);
});

test('every setting does what it says', { timeout: 30_000 }, async () => {
  const settings = [
    '--host',
    '127.0.0.1',
    '--latency',
    '60000',
    '--time-scale',
    '1000',
    '--list-lag=600000',
    '--project',
    'p-1',
    '--api-key',
    'k.1',
  ];
  const simulator = await listening(...settings);
  const services = `${simulator.url}/projects/p-1/services`;
  const created = await request('POST', services, { apiKey: 'k.1', body: { name: 'orders' } });
  expect(created, 'a minute of latency').toMatchObject({ status: 202, body: { status: 'QUEUED' } });
  expect((await request('GET', services, { apiKey: 'k.1' })).body, 'ten minutes of lag').toEqual(
    [],
  );
  const ready = () =>
    request('GET', services, { apiKey: 'k.1' }).then(({ text }) => text.includes('READY'));
  await until(
    'the service in the list, when its eleven minutes have passed in less than a second',
    ready,
  );
  simulator.end();
  expect(await simulator.exitCode).toBe(0);
});

describe('ends', () => {
  test('at a signal that came before it listened', async () => {
    const started = start('--port', '0');
    started.end();
    expect(await started.exitCode).toBe(0);
  });

  test('with everything in it, also while calls are held back', async () => {
    const simulator = await listening();
    const body = { kind: 'delay', operation: '*', delayMs: 600_000 };
    await request('POST', `${simulator.url}/_simulator/projects/prj1/faults`, { body });
    const held = request('GET', `${simulator.url}/auth/info`, { apiKey: 'simulator-key' }).then(
      () => 'answered',
      () => 'cut off',
    );
    const calls = () =>
      request('GET', `${simulator.url}/_simulator/projects/prj1/calls`).then(({ text }) =>
        text.includes('getCredentialsInfo'),
      );
    await until('the call', calls);
    simulator.end();
    expect(await simulator.exitCode).toBe(0);
    expect(await held).toBe('cut off');
    await expect(fetch(simulator.url)).rejects.toThrow('fetch failed');
  });

  test.each(['SIGINT', 'SIGTERM'] as const)(
    'as a process at %s, whatever is held back, with exit code 0',
    { timeout: 30_000 },
    async (signal) => {
      await using simulator = operatorProcess(['simulator', '--port', '0']);
      const url = await until(
        'the greeting',
        () => /listens on (http:\S+)\. /u.exec(simulator.stdout())?.[1],
        simulator.stderr,
      );
      const body = { kind: 'delay', operation: '*', delayMs: 600_000 };
      await request('POST', `${url}/_simulator/projects/prj1/faults`, { body });
      const held = request('GET', `${url}/auth/info`, { apiKey: 'simulator-key' }).catch(
        () => 'cut off',
      );
      await until('the call', () =>
        request('GET', `${url}/_simulator/projects/prj1/calls`).then(({ text }) =>
          text.includes('getCredentialsInfo'),
        ),
      );
      simulator.kill(signal);
      expect(await simulator.ended).toBe(0);
      expect(await held).toBe('cut off');
      expect(simulator.stderr()).toBe('');
    },
  );
});

test.each(['--help', '-h'])('%s prints every setting and starts nothing', async (flag) => {
  const started = start(flag, '--port', 'nonsense');
  expect(await started.exitCode).toBe(0);
  for (const name of [
    '--port',
    '--host',
    '--latency',
    '--time-scale',
    '--list-lag',
    '--regions',
    '--sizes',
    '--project',
    '--api-key',
  ])
    expect(started.stdout()).toContain(name);
  expect(started.stderr()).toBe('');
});

describe('arguments that are not understood end it with exit code 2 and a line:', () => {
  test.each([
    [['--port', 'many'], '--port is a number'],
    [['--port', '65536'], '--port is at most 65535'],
    [['--port=-1'], '--port is at least 0'],
    [['--port', '80.5'], '--port is a whole number'],
    [['--port', ''], '--port needs a value'],
    [['--port= '], '--port needs a value'],
    [['--port'], "Option '--port <value>' argument missing"],
    [['--latency=-5'], '--latency is at least 0'],
    [['--latency', '1e300'], '--latency is at most 86400000'],
    [['--latency', '3s'], '--latency is a number'],
    [['--time-scale', '0'], '--time-scale is at least 0.001'],
    [['--time-scale', '1e9'], '--time-scale is at most 100000'],
    [['--list-lag', '600001'], '--list-lag is at most 600000'],
    [['--host', 'a host'], '--host is a host name or an address'],
    [['--project', '../..'], '--project is letters, digits, ".", "_" and "-", 64 at most'],
    [['--api-key', "it's"], '--api-key is letters, digits and any of ._~+/=-'],
    [['--ports', '80'], "Unknown option '--ports'"],
    [['8080'], "Unexpected argument '8080'"],
  ])('%j', async (argv, message) => {
    const started = start(...argv);
    expect(await started.exitCode).toBe(2);
    expect(started.stderr()).toContain(message);
    expect(started.stdout()).toBe('');
  });

  test('a line for each value that is not valid', async () => {
    const started = start('--port', 'many', '--latency=-5');
    expect(await started.exitCode).toBe(2);
    expect(started.stderr()).toBe('--port is a number\n--latency is at least 0\n');
  });
});

test('a port that is taken ends it with exit code 1 and says what to do', async () => {
  await using other = await startSimulator();
  const { port } = new URL(other.url);
  const started = start('--port', port);
  expect(await started.exitCode).toBe(1);
  expect(started.stderr()).toBe(
    `cannot listen on 127.0.0.1:${port} (EADDRINUSE): choose another --port, or 0 for a free port\n`,
  );
});

test('a host that is not this machine ends it with exit code 1 and says what to do', async () => {
  const started = start('--host', '192.0.2.1', '--port', '0');
  expect(await started.exitCode).toBe(1);
  expect(started.stderr()).toBe(
    'cannot listen on 192.0.2.1:0 (EADDRNOTAVAIL): choose another --host, such as 127.0.0.1\n',
  );
});
