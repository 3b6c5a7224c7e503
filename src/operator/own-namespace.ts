import { readFile } from 'node:fs/promises';

const mounted = '/var/run/secrets/kubernetes.io/serviceaccount/namespace';

/** Undefined outside of a Pod. */
export async function ownNamespace(): Promise<string | undefined> {
  const text = await readFile(mounted, 'utf8').catch(() => ''); // not in a Pod
  return text.trim() === '' ? undefined : text.trim();
}
