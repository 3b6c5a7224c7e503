import type { CloudOperation } from '../../cloud/cloud-api.ts';
import { cloudClient } from '../../cloud/cloud-client.ts';
import { CloudError } from '../../cloud/cloud-error.ts';
import { jsonText } from '../json.ts';
import { processEnvironment } from '../../config/config.ts';
import { version } from '../../operator/version.ts';
import { checkCloud, type Finding } from '../check/check.ts';
import { CommandError } from '../error.ts';
import { localSettings } from '../read/settings.ts';
import type { Session } from '../session.ts';
import { table } from '../table.ts';

export interface CheckFlags {
  readonly cloudUrl?: string;
  readonly output: 'text' | 'json';
}

/** Makes only reads, without a cluster. @returns 0 if nothing differs, otherwise 1 */
export async function checkCommand(
  { output, cloudUrl }: CheckFlags,
  { stdout }: Session,
): Promise<number> {
  const { config, ownKey: apiKey } = await localSettings(cloudUrl, processEnvironment());
  if (apiKey === undefined)
    throw new CommandError('no API key: set MANAGED_DB_API_KEY, or MANAGED_DB_API_KEY_FILE');
  const common = {
    baseUrl: config.cloudUrl,
    proxy: config.proxy,
    userAgent: `managed-db/${version.version}`,
  };
  const odd = new Map<CloudOperation, readonly string[]>();
  await using client = cloudClient({
    ...common,
    apiKey,
    onCall: (call) => void odd.set(call.operation, call.odd ?? []),
  });
  await using withoutKey = cloudClient({ ...common, apiKey: 'a-key-that-no-cloud-accepts' });
  const oddIn = (operation: CloudOperation) => odd.get(operation) ?? [];
  const findings = await withOwnKey(checkCloud({ client, withoutKey, oddIn }));
  stdout.write(output === 'json' ? jsonText('Check', { findings }) : text(findings));
  return findings.some(({ result }) => result === 'differs') ? 1 : 0;
}

/** The key of this command has a single source. @throws {CommandError} for a key that the cloud refuses */
async function withOwnKey<T>(checked: Promise<T>): Promise<T> {
  try {
    return await checked;
  } catch (error) {
    const isRefused =
      error instanceof CloudError && (error.kind === 'unauthorized' || error.kind === 'forbidden');
    if (!isRefused) throw error;
    throw new CommandError(`the cloud: ${error.message}; correct your variable MANAGED_DB_API_KEY`);
  }
}

function text(findings: readonly Finding[]): string {
  const rows = findings.map(({ operation, result, message }) => [operation, result, message]);
  const differing = findings.filter(({ result }) => result === 'differs').length;
  const sum =
    differing === 0
      ? 'The reads of this cloud are as the document says.'
      : `${differing} of ${findings.length} reads differ.`;
  return `${table(['OPERATION', 'RESULT', 'MESSAGE'], rows)}${sum} Nothing was changed, and no change was tried.\n`;
}
