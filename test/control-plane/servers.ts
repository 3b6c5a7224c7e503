import { execFile } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { Agent, get } from 'node:https';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePort, isFree, isListening } from './free-port.ts';
import type { ServerGuard } from './server-guard.ts';

const startTimeoutMs = 60_000;
const portAttempts = 5;

/** Keys and tokens in files: every user of the machine can read a command line. */
export async function prepareFolder(folder: string, adminToken: string): Promise<void> {
  await mkdir(join(folder, 'certs'));
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const secret = { mode: 0o600 };
  await writeFile(
    join(folder, 'certs', 'service-accounts.key'),
    privateKey.export({ type: 'pkcs1', format: 'pem' }),
    secret,
  );
  await writeFile(
    join(folder, 'certs', 'tokens.csv'),
    `${adminToken},admin,admin,"system:masters"\n`,
    secret,
  );
  await writeCertificate(join(folder, 'certs'));
}

/**
 * The API server takes this certificate, and makes an RSA certificate where the file is missing. An RSA signature costs an eighth of the server's CPU in tests,
 * since each operator and each kubectl opens connections. Without openssl the server makes its own.
 */
async function writeCertificate(folder: string): Promise<void> {
  const subject = [
    '-subj',
    '/CN=127.0.0.1',
    '-addext',
    'subjectAltName=IP:127.0.0.1',
    '-days',
    '365',
  ];
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const files = ['-keyout', join(folder, 'apiserver.key'), '-out', join(folder, 'apiserver.crt')];
  await promisify(execFile)('openssl', ['req', ...kind, ...subject, ...files]).catch(
    () => undefined,
  );
}

/**
 * @param before its previous port. Default: a free port
 * @returns the port that it listens on
 */
export async function startEtcd(
  guard: ServerGuard,
  command: string,
  before?: number,
): Promise<number> {
  const start = async (port: number) => {
    const url = `http://127.0.0.1:${port}`;
    const listen = [
      '--listen-client-urls',
      url,
      '--advertise-client-urls',
      url,
      '--listen-peer-urls',
      'http://127.0.0.1:0',
    ];
    await guard.launch('etcd', command, [
      '--data-dir',
      join(guard.folder, 'etcd'),
      ...listen,
      '--unsafe-no-fsync',
      '--log-level',
      'warn',
    ]);
    // The API server waits for etcd by itself; here it is only seen whether etcd got its port.
    await until(guard, 'etcd', () => isListening(port));
  };
  if (before === undefined) return onFreePort(guard, 'etcd', start);
  await start(before);
  return before;
}

export interface ApiServerOptions {
  readonly etcdPort: number;
  readonly adminToken: string;
  /** Empty: nothing is logged. */
  readonly auditLogPath: string;
  /** The previous port. Default: a free port. */
  readonly port?: number;
}

/** @returns the port that it listens on, once it is ready */
export async function startApiServer(
  guard: ServerGuard,
  command: string,
  options: ApiServerOptions,
): Promise<number> {
  const start = async (port: number) => {
    await guard.launch('kube-apiserver', command, [
      ...apiServerFlags(join(guard.folder, 'certs'), port, options.etcdPort),
      ...(await auditFlags(guard, options.auditLogPath)),
    ]);
    await until(guard, 'kube-apiserver', () => isReady(guard.folder, port, options.adminToken));
  };
  if (options.port === undefined) return onFreePort(guard, 'kube-apiserver', start);
  await start(options.port);
  return options.port;
}

function apiServerFlags(certs: string, port: number, etcdPort: number): string[] {
  return [
    `--etcd-servers=http://127.0.0.1:${etcdPort}`,
    `--cert-dir=${certs}`,
    `--secure-port=${port}`,
    '--bind-address=127.0.0.1',
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-key-file=${certs}/service-accounts.key`,
    `--service-account-signing-key-file=${certs}/service-accounts.key`,
    '--service-cluster-ip-range=10.0.0.0/24',
    `--token-auth-file=${certs}/tokens.csv`,
    '--authorization-mode=RBAC',
    // It requires a default ServiceAccount in each namespace before any pod; nothing here makes it, and no
    // pod ever runs.
    '--disable-admission-plugins=ServiceAccount',
  ];
}

const controllers = [
  'garbage-collector-controller',
  'namespace-controller',
  'clusterrole-aggregation-controller',
];

/** ServiceAccounts alone, and only the user and the target of each request: no content, so no Secret. */
const auditPolicy = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived', 'ResponseStarted'],
  rules: [{ level: 'Metadata', userGroups: ['system:serviceaccounts'] }, { level: 'None' }],
};

async function auditFlags(guard: ServerGuard, path: string): Promise<string[]> {
  if (path === '') return [];
  const policy = join(guard.folder, 'audit-policy.json');
  await guard.write('audit-policy.json', JSON.stringify(auditPolicy));
  return [`--audit-log-path=${path}`, `--audit-policy-file=${policy}`];
}

/**
 * Garbage collection by owner reference, deletion of namespaces, ClusterRoles such as `view` that other roles extend;
 * it listens on no port.
 */
export async function startControllerManager(
  guard: ServerGuard,
  command: string,
  workloads: boolean,
): Promise<void> {
  await guard.launch('kube-controller-manager', command, [
    `--kubeconfig=${join(guard.folder, 'kubeconfig')}`,
    `--controllers=${[...controllers, ...(workloads ? ['deployment-controller', 'replicaset-controller'] : [])].join(',')}`,
    '--leader-elect=false',
    '--secure-port=0',
    // The default of 20 requests a second makes the deletion of many namespaces slow.
    '--kube-api-qps=200',
    '--kube-api-burst=400',
  ]);
}

/** Another process may take the port before the server listens on it: then another port is tried. */
async function onFreePort(
  guard: ServerGuard,
  name: string,
  start: (port: number) => Promise<void>,
): Promise<number> {
  for (let attempt = 1; ; attempt++) {
    const port = await freePort();
    try {
      await start(port);
      return port;
    } catch (error) {
      const portTaken = !guard.isRunning(name) && !(await isFree(port));
      if (!portTaken || attempt === portAttempts) throw error;
    }
  }
}

async function until(
  guard: ServerGuard,
  name: string,
  isUp: () => Promise<boolean>,
): Promise<void> {
  const deadline = Date.now() + startTimeoutMs;
  for (let up = false; !up;) {
    up = await isUp();
    // Also when it is up: another process may answer on the port of a server that ended.
    for (const needed of ['etcd', name])
      if (!guard.isRunning(needed)) throw await guard.failure(needed, 'ended while starting');
    if (Date.now() > deadline)
      throw await guard.failure(name, `was not ready after ${startTimeoutMs / 1000} s`);
    if (!up) await pause(50);
  }
}

async function isReady(folder: string, port: number, token: string): Promise<boolean> {
  const ca = await readFile(join(folder, 'certs', 'apiserver.crt')).catch(() => undefined);
  if (!ca) return false;
  const agent = new Agent({ ca });
  const headers = { authorization: `Bearer ${token}` };
  return new Promise((resolve) => {
    const request = get(
      `https://127.0.0.1:${port}/readyz`,
      { agent, headers, timeout: 5_000 },
      (response) => {
        response.resume();
        resolve(response.statusCode === 200);
      },
    );
    request.once('timeout', () => request.destroy());
    // Refused or reset while it starts; a certificate that is half written counts as not ready either.
    request.once('error', () => resolve(false));
  });
}
