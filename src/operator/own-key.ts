import { readFile } from 'node:fs/promises';
import { cloudClient } from '../cloud/cloud-client.ts';
import { CloudError } from '../cloud/cloud-error.ts';
import type { Config } from '../config/config.ts';
import type { Log } from '../runtime/index.ts';

type KeySettings = Pick<Config, 'apiKey' | 'apiKeyFile'>;

/** Undefined when there is no own key. Reads the file each time, since a mounted Secret changes while the process runs. */
export async function ownKey({ apiKeyFile, apiKey }: KeySettings): Promise<string | undefined> {
  if (apiKeyFile === undefined) return apiKey;
  const text = await readFile(apiKeyFile, 'utf8').catch(() => '');
  return text.trim() === '' ? undefined : text.trim();
}

/** Logs that the operator's own key is missing or rejected, or that the cloud's URL is wrong: the owners of objects cannot fix it. Never throws. */
export async function checkOwnKey(
  config: KeySettings & Pick<Config, 'cloudUrl' | 'proxy'>,
  log: Log,
  signal: AbortSignal,
): Promise<void> {
  const { apiKeyFile: file } = config;
  const where = file === undefined ? { variable: 'MANAGED_DB_API_KEY' } : { file };
  const apiKey = await ownKey(config);
  if (apiKey === undefined) {
    if (file !== undefined)
      log.warn(
        where,
        'the API key file is missing or empty: objects without credentialsRef wait for it',
      );
    return;
  }
  await using client = cloudClient({ baseUrl: config.cloudUrl, apiKey, proxy: config.proxy });
  try {
    await client.getCredentialsInfo({ signal });
  } catch (error) {
    // Other errors, such as an outage of the cloud, are reported by the objects that need the key.
    if (!(error instanceof CloudError)) return;
    if (error.kind === 'notFound')
      log.warn(
        { cloud: config.cloudUrl.origin, answer: error.cloudMessage },
        'the cloud has no API at this address: check --cloud-url (MANAGED_DB_CLOUD_URL), also its path',
      );
    if (error.kind === 'unauthorized' || error.kind === 'forbidden')
      log.warn(
        where,
        "the cloud does not accept the operator's own API key: objects without credentialsRef wait for a valid key",
      );
  }
}
