import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { delimiter, dirname } from 'node:path';
import { cache, root, temporary } from './cache.ts';
import { packages } from './packages.ts';
import { attempt, run } from './run.ts';

/** Where programs of the node make folders, wherever their own files are: the namespace has layers over them. */
const layered = ['/opt', '/var/cache', '/var/lib', '/var/log'];

const overPackages = `
set -eu
packages=$1; shift
for folder in usr etc; do mount -t overlay -o "lowerdir=$packages/$folder:/$folder" overlay "/$folder"; done
mount -t tmpfs tmpfs /run
for folder in "$@"; do
  layer="/run/layers$folder"; mkdir -p "$layer/upper" "$layer/work"
  mount -t overlay -o "lowerdir=$folder,upperdir=$layer/upper,workdir=$layer/work" overlay "$folder"
done
mount --make-rshared /
`;

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** The missing requirement of the namespaces, to be read after "needs"; undefined if all are there. */
export async function namespacesLack(): Promise<string | undefined> {
  if (process.platform !== 'linux') return 'Linux: only Linux has namespaces.';
  if (process.getuid?.() !== 0)
    return 'root, for namespaces and control groups: sudo env "PATH=$PATH" npm run …';
  if (process.env['npm_execpath'] === undefined) return 'npm: start it with npm run.';
  const programs = ['apt-get', 'dpkg-deb', 'unshare', 'setpriv', 'ip', 'openssl', 'git', 'ldd'];
  const absent: string[] = [];
  for (const name of programs)
    if ((await attempt('sh', ['-c', 'command -v "$1"', 'sh', name])).code !== 0) absent.push(name);
  if (absent.length > 0) return `${absent.join(', ')}: install them and try again.`;
  const isLayered = (place: string) => layered.some((folder) => place.startsWith(`${folder}/`));
  if (isLayered(root) || isLayered(cache))
    return `a clone and a cache outside of ${layered.join(', ')}.`;
  const own = ['--mount', '--pid', '--net', '--fork', '--propagation', 'private', 'true'];
  const { code } = await attempt('unshare', own);
  return code === 0 ? undefined : 'the right to make namespaces: a container lacks it (unshare).';
}

/**
 * Runs a script with Node as root in mount and PID namespaces, and returns its exit code. The end of `unshare`, which
 * setpriv ties to the end of this process, ends all processes inside.
 * @param command the script and its arguments
 * @param folders the first folders of its `PATH`
 */
export async function runInNamespaces(
  command: readonly string[],
  folders: readonly string[] = [],
): Promise<number> {
  const own = ['--mount', '--pid', '--fork', '--kill-child', '--mount-proc'];
  // The shell collects the processes whose parents ended.
  const first = ['sh', '-c', '"$@"; exit $?', 'sh', process.execPath, ...command];
  const child = spawn(
    'setpriv',
    ['--pdeathsig', 'KILL', 'unshare', ...own, '--propagation', 'private', ...first],
    {
      stdio: 'inherit',
      env: {
        ...process.env,
        TMPDIR: temporary,
        PATH: [...folders, dirname(process.execPath), process.env['PATH']].join(delimiter),
      },
    },
  );
  const end = () => child.kill('SIGKILL');
  for (const signal of signals) process.on(signal, end);
  await once(child, 'close');
  for (const signal of signals) process.off(signal, end);
  return child.exitCode ?? 1;
}

/**
 * Lays the unpacked packages over the folders of this machine, in the mount namespace of this process. New files in the
 * layered folders end with the namespace.
 */
export async function mountPackages(): Promise<void> {
  await run('sh', ['-c', overPackages, 'sh', packages, ...layered]);
}
