import { readFile } from 'node:fs/promises';

const mounted = '/var/run/secrets/kubernetes.io/serviceaccount/namespace';

/** The namespace of the Pod that this process runs in; undefined where it runs in none. */
export async function ownNamespace(): Promise<string | undefined> {
  const text = await readFile(mounted, 'utf8').catch(() => ''); // not in a Pod
  return text.trim() === '' ? undefined : text.trim();
}
