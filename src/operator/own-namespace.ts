import { readFile } from 'node:fs/promises';

const mounted = '/var/run/secrets/kubernetes.io/serviceaccount/namespace';

/** The namespace of the Pod of this process; undefined outside of a Pod. */
export async function ownNamespace(): Promise<string | undefined> {
  const text = await readFile(mounted, 'utf8').catch(() => ''); // not in a Pod
  return text.trim() === '' ? undefined : text.trim();
}
