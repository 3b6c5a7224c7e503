import { CloudError } from '../cloud/cloud-error.ts';
import { SettingsError } from '../config/settings-table.ts';
import { KubernetesError } from '../runtime/index.ts';
import { CommandError } from './error.ts';

/** Undefined for a bug of this program. */
export function explained(error: unknown, signal: AbortSignal): string | undefined {
  if (error instanceof CommandError || error instanceof SettingsError) return error.message;
  if (signal.aborted) return 'interrupted';
  if (error instanceof CloudError)
    return `the cloud: ${error.message}${adviceOfCloud[error.kind] ?? ''}`;
  if (error instanceof KubernetesError)
    return `the API server: ${error.message}${adviceOfApiServer[error.kind] ?? ''}`;
  return undefined;
}

const later = '; try again, or later';

const adviceOfCloud: Readonly<Partial<Record<CloudError['kind'], string>>> = {
  unauthorized:
    '; check your variable MANAGED_DB_API_KEY, --credentials or the Secret of the object',
  forbidden:
    '; check the rights of the key in MANAGED_DB_API_KEY, --credentials or the Secret of the object',
  notFound: '; check --cloud-url (MANAGED_DB_CLOUD_URL)',
  network: '; check --cloud-url (MANAGED_DB_CLOUD_URL), and try again',
  timeout: later,
  server: later,
};

const adviceOfApiServer: Readonly<Partial<Record<KubernetesError['kind'], string>>> = {
  unauthorized: '; check --kubeconfig and --context',
  notFound:
    '; if it is a list, the kinds are not installed: kubectl apply -f crds, or install the chart',
  forbidden: '; ask a cluster administrator for this right, or use another user',
  network: '; check --kubeconfig and --context, and try again',
  timeout: later,
  server: later,
};
