import type { Log } from '../runtime/index.ts';
import { readFile } from 'node:fs/promises';
import { cloudClient } from '../cloud/cloud-client.ts';
import { CloudError } from '../cloud/cloud-error.ts';
import type { Egress } from '../cloud/egress.ts';
import type { Config } from '../config/config.ts';

type KeySettings = Pick<Config, 'apiKey' | 'apiKeyFile'>;

/** The operator's own key, read anew each time: a mounted Secret changes under a running process. Undefined when there is none. */
export async function ownKey({ apiKeyFile, apiKey }: KeySettings): Promise<string | undefined> {
  if (apiKeyFile === undefined) return apiKey;
  const text = await readFile(apiKeyFile, 'utf8').catch(() => '');
  return text.trim() === '' ? undefined : text.trim();
}

/** Tells at the start, once, what is wrong with the operator's own key: objects tell it too, but to people who cannot mend it. Never throws. */
export async function checkOwnKey(
  config: KeySettings & Pick<Config, 'cloudUrl'>,
  egress: Egress,
  log: Log,
  signal: AbortSignal,
): Promise<void> {
  const { apiKeyFile: file } = config;
  const where = file === undefined ? { variable: 'MANAGED_DB_API_KEY' } : { file };
  const apiKey = await ownKey(config);
  if (apiKey === undefined) {
    if (file !== undefined) log.warn(where, 'the API key file is missing or empty: objects without credentialsRef wait for it');
    return;
  }
  await using client = cloudClient({ baseUrl: config.cloudUrl, apiKey, egress });
  try {
    await client.getCredentialsInfo({ signal });
  } catch (error) {
    // A cloud that is away now is told by the objects that need it then.
    const isRejected = error instanceof CloudError && (error.kind === 'unauthorized' || error.kind === 'forbidden');
    if (isRejected)
      log.warn(where, "the cloud does not accept the operator's own API key: objects without credentialsRef wait for a valid one");
  }
}
