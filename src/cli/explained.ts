import { CloudError } from '../cloud/cloud-error.ts';
import { SettingsError } from '../config/settings-table.ts';
import { KubernetesError } from '../runtime/index.ts';
import { CommandError } from './error.ts';

/** Undefined for a bug of this program. */
export function explained(error: unknown, signal: AbortSignal): string | undefined {
  if (error instanceof CommandError || error instanceof SettingsError) return error.message;
  if (signal.aborted) return 'interrupted';
  if (error instanceof CloudError) return `the cloud: ${error.message}${adviceFor(error)}`;
  if (error instanceof KubernetesError)
    return `the API server: ${error.message}${adviceFor(error)}`;
  return undefined;
}

const advice: Readonly<Record<string, string>> = {
  unauthorized: '; check the credentials',
  notFound:
    '; if it is a list, the kinds are not installed: kubectl apply -f crds, or install the chart',
  forbidden: '; ask for this right, or use another user',
  network: '; check the address, and try again',
  timeout: '; try again, or later',
  server: '; try again, or later',
};

function adviceFor({ kind }: CloudError | KubernetesError): string {
  return advice[kind] ?? '';
}
