import { access, mkdir, readFile, readdir, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { until } from '../support/until.ts';

const mount = '/sys/fs/cgroup';
/** The node's part of each hierarchy of control groups. */
export const groupName = 'managed-db-node';

/** Whether the machine has a single hierarchy. */
async function isUnified(): Promise<boolean> {
  return access(join(mount, 'cgroup.controllers')).then(
    () => true,
    () => false,
  );
}

async function groups(): Promise<readonly string[]> {
  if (await isUnified()) return [join(mount, groupName)];
  const hierarchies = await readdir(mount, { withFileTypes: true });
  return hierarchies
    .filter((entry) => entry.isDirectory())
    .map((entry) => join(mount, entry.name, groupName));
}

/** Makes the node's group in each hierarchy. A group weighs as much as a single process beside it, so it gets more. */
export async function makeGroups(): Promise<void> {
  for (const group of await groups()) await mkdir(group, { recursive: true });
  if (await isUnified()) {
    await writeFile(join(mount, groupName, 'cpu.weight'), '400');
    return;
  }
  for (const file of ['cpuset.cpus', 'cpuset.mems'])
    await writeFile(
      join(mount, 'cpuset', groupName, file),
      await readFile(join(mount, 'cpuset', file)),
    );
  await writeFile(join(mount, 'cpu', groupName, 'cpu.shares'), '4096');
}

/**
 * Removes the node's groups, whose processes have ended.
 * @throws {Error} when a group still has a process after five seconds
 */
export async function removeGroups(): Promise<void> {
  for (const group of await groups())
    await until(`the control group ${group} to be removed`, () => removed(group), undefined, 5000);
}

async function removed(group: string): Promise<boolean> {
  const inside = await readdir(group, { withFileTypes: true }).catch(() => []);
  for (const entry of inside) if (entry.isDirectory()) await removed(join(group, entry.name));
  return rmdir(group).then(
    () => true,
    (error: NodeJS.ErrnoException) => error.code === 'ENOENT',
  );
}
