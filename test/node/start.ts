import { spawn } from 'node:child_process';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdir, open, readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { kubeconfigFor, kubeconfigText } from '../control-plane/kubeconfig.ts';
import { logs, state } from './cache.ts';
import { groupName } from './cgroups.ts';
import { kubeconfigOf, kubectl, nodeName, tryKubectl, within } from './cluster.ts';
import { archives, pauseImage } from './images.ts';
import { attempt, run } from './run.ts';

// Addresses of documentation and benchmarks, in a network without a way out.
const address = '198.51.100.10';
const pods = '198.18.0.0/24';
const services = '203.0.113.0/24';
const apiService = '203.0.113.1';

const folder = join(state, 'control-plane');
const [certificate, key] = [join(folder, 'api.crt'), join(folder, 'api.key')];
const [serviceAccounts, tokens] = [join(folder, 'accounts.key'), join(folder, 'tokens.csv')];
const socket = '/run/managed-db-node/containerd.sock';
const readableByOwner = { mode: 0o600 };

/** Each program's user and groups. */
const users = {
  admin: ['admin', 'system:masters'],
  kubelet: [`system:node:${nodeName}`, 'system:nodes'],
  controllers: ['system:kube-controller-manager', ''],
  scheduler: ['system:kube-scheduler', ''],
  proxy: ['system:kube-proxy', ''],
} as const;

/** Starts a control plane and a node, and waits until the node is Ready. Its processes end with their PID namespace. */
export default async function start(): Promise<void> {
  await makeIdentities();
  await startControlPlane();
  await startContainerd();
  await within(
    120,
    'the API server',
    async () => (await tryKubectl('get', '--raw=/readyz')).code === 0,
  );
  await startControllers();
  await startNode();
  const proxier = ['--clusterrole=system:node-proxier', '--user=system:kube-proxy'];
  await kubectl('create', 'clusterrolebinding', 'node-proxier', ...proxier);
  const account = ['get', 'serviceaccount', 'default'];
  await within(120, 'the account of Pods', async () => (await tryKubectl(...account)).code === 0);
  const ready = ['wait', `node/${nodeName}`, '--for=condition=Ready', '--timeout=1s'];
  await within(120, 'the node', async () => (await tryKubectl(...ready)).code === 0);
}

async function makeIdentities(): Promise<void> {
  await mkdir(folder, { recursive: true });
  const names = `subjectAltName=IP:127.0.0.1,IP:${address},IP:${apiService},DNS:kubernetes.default.svc`;
  const subject = ['-subj', '/CN=kube-apiserver', '-addext', names, '-days', '2'];
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  await run('openssl', ['req', ...kind, ...subject, '-keyout', key, '-out', certificate]);
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  await writeFile(
    serviceAccounts,
    privateKey.export({ type: 'pkcs1', format: 'pem' }),
    readableByOwner,
  );
  const server = `https://${address}:6443`;
  const caData = (await readFile(certificate)).toString('base64');
  const rows: string[] = [];
  for (const [program, [user, group]] of Object.entries(users)) {
    const token = randomBytes(24).toString('hex');
    rows.push(`${token},${user},${program},"${group}"`);
    const text = kubeconfigText(kubeconfigFor({ server, caData }, { token, user }));
    await writeFile(kubeconfigOf(program), text, readableByOwner);
  }
  await writeFile(tokens, `${rows.join('\n')}\n`, readableByOwner);
}

async function startControlPlane(): Promise<void> {
  const etcd = 'http://127.0.0.1:2379';
  await launch('etcd', [
    `--data-dir=${join(folder, 'etcd')}`,
    `--listen-client-urls=${etcd}`,
    `--advertise-client-urls=${etcd}`,
    '--listen-peer-urls=http://127.0.0.1:2380',
    '--unsafe-no-fsync',
    '--log-level=warn',
  ]);
  await launch('kube-apiserver', [
    `--etcd-servers=${etcd}`,
    '--secure-port=6443',
    `--advertise-address=${address}`,
    `--tls-cert-file=${certificate}`,
    `--tls-private-key-file=${key}`,
    `--token-auth-file=${tokens}`,
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-key-file=${serviceAccounts}`,
    `--service-account-signing-key-file=${serviceAccounts}`,
    `--service-cluster-ip-range=${services}`,
    '--authorization-mode=Node,RBAC',
    '--enable-admission-plugins=NodeRestriction',
    '--kubelet-preferred-address-types=InternalIP',
  ]);
}

async function startContainerd(): Promise<void> {
  const configuration = join(state, 'containerd.toml');
  // A machine without CAP_SYS_RESOURCE may not lower oom_score_adj. crun refuses a machine with both kinds of control groups.
  await writeFile(
    configuration,
    `version = 2
root = "${join(state, 'containerd')}"
state = "/run/managed-db-node/containerd"
[grpc]
  address = "${socket}"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "${pauseImage}"
  restrict_oom_score_adj = true
  disable_apparmor = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = "${join(state, 'cni')}"
  [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
    runtime_type = "io.containerd.runc.v2"
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
      BinaryName = "runc"
      SystemdCgroup = false
`,
  );
  await mkdir(join(state, 'cni'), { recursive: true });
  const bridge = {
    type: 'bridge',
    bridge: 'cni0',
    isGateway: true,
    hairpinMode: true,
    ipam: { type: 'host-local', ranges: [[{ subnet: pods }]], routes: [{ dst: '0.0.0.0/0' }] },
  };
  const network = { cniVersion: '1.0.0', name: 'pods', plugins: [bridge] };
  await writeFile(join(state, 'cni', '10-bridge.conflist'), JSON.stringify(network));
  await mkdir('/run/managed-db-node', { recursive: true });
  await launch('containerd', ['--config', configuration, '--address', socket]);
  const ctr = ['-a', socket, '-n', 'k8s.io'];
  await within(
    60,
    'containerd',
    async () => (await attempt('ctr', [...ctr, 'version'])).code === 0,
  );
  for (const file of await readdir(archives))
    await run('ctr', [...ctr, 'images', 'import', join(archives, file)]);
}

async function startControllers(): Promise<void> {
  const controllers = kubeconfigOf('controllers');
  await launch('kube-controller-manager', [
    `--kubeconfig=${controllers}`,
    `--authentication-kubeconfig=${controllers}`,
    `--authorization-kubeconfig=${controllers}`,
    '--use-service-account-credentials',
    `--root-ca-file=${certificate}`,
    `--service-account-private-key-file=${serviceAccounts}`,
    '--leader-elect=false',
  ]);
  const scheduler = kubeconfigOf('scheduler');
  await launch('kube-scheduler', [
    `--kubeconfig=${scheduler}`,
    `--authentication-kubeconfig=${scheduler}`,
    `--authorization-kubeconfig=${scheduler}`,
    '--leader-elect=false',
  ]);
}

async function startNode(): Promise<void> {
  const kubelet = join(state, 'kubelet.yaml');
  await writeFile(
    kubelet,
    stringify({
      apiVersion: 'kubelet.config.k8s.io/v1beta1',
      kind: 'KubeletConfiguration',
      failCgroupV1: false,
      cgroupDriver: 'cgroupfs',
      cgroupRoot: `/${groupName}`,
      containerRuntimeEndpoint: `unix://${socket}`,
      authentication: { anonymous: { enabled: true }, webhook: { enabled: false } },
      authorization: { mode: 'AlwaysAllow' },
      // No name resolves: the tests use addresses of Services.
      resolvConf: '',
      failSwapOn: false,
      oomScoreAdj: 0,
      evictionHard: {
        'memory.available': '200Mi',
        'nodefs.available': '1%',
        'imagefs.available': '1%',
        'nodefs.inodesFree': '1%',
      },
      imageGCHighThresholdPercent: 100,
      imageGCLowThresholdPercent: 99,
    }),
  );
  await launch('kubelet', [
    `--config=${kubelet}`,
    `--kubeconfig=${kubeconfigOf('kubelet')}`,
    `--hostname-override=${nodeName}`,
    `--node-ip=${address}`,
    '--v=2',
  ]);
  const proxy = join(state, 'kube-proxy.yaml');
  await writeFile(
    proxy,
    stringify({
      apiVersion: 'kubeproxy.config.k8s.io/v1alpha1',
      kind: 'KubeProxyConfiguration',
      mode: 'nftables',
      clientConnection: { kubeconfig: kubeconfigOf('proxy') },
      clusterCIDR: pods,
      hostnameOverride: nodeName,
      conntrack: { maxPerCore: 0 },
    }),
  );
  await launch('kube-proxy', [`--config=${proxy}`]);
}

/** Starts a program of the node with a log of its own, and tells its end, which no test expects. */
async function launch(program: string, args: readonly string[]): Promise<void> {
  const path = join(logs, `${program}.log`);
  const log = await open(path, 'w');
  const child = spawn(program, args, { stdio: ['ignore', log.fd, log.fd] });
  child.once('exit', (code) => process.stderr.write(`${program} ended (${code}): see ${path}\n`));
  child.unref();
  await log.close();
}
