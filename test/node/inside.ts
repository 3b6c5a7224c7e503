import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { terminalProgress } from '../control-plane/progress.ts';
import { root, state } from './cache.ts';
import { makeImages } from './images.ts';
import { mountPackages } from './namespaces.ts';

// Runs as root in a mount and PID namespace of its own, which scripts/node.ts makes: builds the images, and starts the tests in a
// network namespace, too.

// No link leads out. A veth pair bears the node's address. sysfs shows the network of the process that mounts it.
const network = `
set -eu
state=$1; shift
mkdir -p "$state/cgroups" /var/lib/kubelet /var/lib/cni /var/log/pods /var/log/containers
mount --rbind /sys/fs/cgroup "$state/cgroups"
mount -t sysfs sysfs /sys
mount --rbind "$state/cgroups" /sys/fs/cgroup
for folder in lib/kubelet log/pods log/containers; do
  mkdir -p "$state/var/$folder"; mount --bind "$state/var/$folder" "/var/$folder"
done
mount -t tmpfs tmpfs /var/lib/cni
# kubelet sets these values of the kernel, which has no namespace for them: it sets copies.
for value in vm/overcommit_memory vm/panic_on_oom kernel/panic kernel/panic_on_oops kernel/keys/root_maxkeys kernel/keys/root_maxbytes; do
  copy="$state/sys/$value"; mkdir -p "\${copy%/*}"
  cat "/proc/sys/$value" > "$copy"; mount --bind "$copy" "/proc/sys/$value"
done
mount --make-rshared /
ip link set lo up
ip link add node0 type veth peer name node0p
ip address add 198.51.100.10/24 dev node0
ip link set node0 up; ip link set node0p up
ip route add default dev node0
# The bridge plugin of Debian 12 fails at its first Pod if the bridge is missing.
ip link add cni0 type bridge; ip address add 198.18.0.1/24 dev cni0; ip link set cni0 up
echo 1 > /proc/sys/net/ipv4/ip_forward
exec "$@"
`;

const progress = terminalProgress(process.stderr);
await mountPackages();
await makeImages(progress);
const vitest = join(root, 'node_modules/vitest/vitest.mjs');
const tests = [process.execPath, vitest, 'run', '--config', 'test/node/vitest.config.ts'];
const child = spawn(
  'unshare',
  ['--net', 'sh', '-c', network, 'sh', state, ...tests, ...process.argv.slice(2)],
  { cwd: root, stdio: 'inherit' },
);
await once(child, 'close');
process.exitCode = child.exitCode ?? 1;
