import * as z from 'zod';
import type { ControlPlaneHandle } from '../control-plane/control-plane.ts';
import { kubectl } from '../control-plane/kubectl.ts';

/** Velero's default order: Secrets before all kinds that it does not know, and those by their names. */
const order = ['secrets', 'managedservices', 'managedvpcs', 'readreplicasets'];

const stored = z.looseObject({
  metadata: z.looseObject({
    name: z.string(),
    namespace: z.string(),
    labels: z.record(z.string(), z.string()).default({}),
    annotations: z.record(z.string(), z.string()).default({}),
  }),
});
type Stored = z.infer<typeof stored>;

/** The objects of these namespaces, as Velero stores them. */
export async function veleroBackup(
  handle: ControlPlaneHandle,
  namespaces: readonly string[],
): Promise<readonly Stored[]> {
  const found: Stored[] = [];
  for (const resource of order)
    for (const namespace of namespaces) {
      const { stdout } = await kubectl(handle, ['get', resource, '-n', namespace, '-o', 'json']);
      found.push(...z.object({ items: z.array(stored) }).parse(JSON.parse(stdout)).items);
    }
  return found;
}

/**
 * Creates the objects as Velero does: in its order, without status and with fresh metadata, and an object that exists
 * stays as it is.
 * @param namespaces the new names of namespaces, by their names in the backup
 */
export async function veleroRestore(
  handle: ControlPlaneHandle,
  backup: readonly Stored[],
  namespaces: Readonly<Record<string, string>> = {},
): Promise<void> {
  const renamed = (name: string) => namespaces[name] ?? name;
  const needed = new Set(backup.map(({ metadata }) => renamed(metadata.namespace)));
  for (const each of needed) await kubectl(handle, ['create', 'namespace', each]);
  for (const { status: _, ...object } of backup) {
    const { name, labels, annotations, namespace: before, finalizers } = object.metadata;
    const namespace = renamed(before);
    const metadata = {
      name,
      namespace,
      annotations,
      finalizers,
      labels: { ...labels, 'velero.io/backup-name': 'nightly', 'velero.io/restore-name': 'first' },
    };
    const input = JSON.stringify({ ...object, metadata });
    const { code, stderr } = await kubectl(handle, ['create', '-f', '-'], { input });
    if (code !== 0 && !stderr.includes('(AlreadyExists)'))
      throw new Error(`the restore of ${name}: ${stderr}`);
  }
}
