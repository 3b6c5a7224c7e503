export interface Setting {
  readonly name: string;
  readonly flag: string;
  readonly variable: string;
  readonly value: string;
  readonly meaning: string;
}

function setting(flag: string, value: string, meaning: string): Setting {
  return {
    name: flag.replaceAll(/-([a-z])/gu, (_, letter: string) => letter.toUpperCase()),
    flag,
    variable: `MANAGED_DB_${flag.replaceAll('-', '_').toUpperCase()}`,
    value,
    meaning,
  };
}

export const settingsTable: readonly Setting[] = [
  setting(
    'cloud-url',
    'URL',
    'URL of the cloud API: https, except on this machine; may have a path. An installation serves a single cloud. Required',
  ),
  setting(
    'api-key-file',
    'FILE',
    "file with the operator's own API key; read again when it changes",
  ),
  setting(
    'operator-credentials-namespaces',
    'LIST',
    'namespaces that may leave out credentialsRef and use that key; * is all. Default: none',
  ),
  setting('namespaces', 'LIST', 'namespaces with managed objects. Default: all'),
  setting(
    'ledger-namespace',
    'NAME',
    'namespace of the ledger, which has all passwords; it has no other use. Default: managed-db-ledger',
  ),
  setting(
    'deletion-policy',
    'WORD',
    'Delete or Retain: the effect in the cloud when an object without a deletionPolicy is deleted. Default: Delete',
  ),
  setting(
    'management-policy',
    'WORD',
    'Manage or Observe: Observe creates, changes and deletes nothing in the cloud, for any spec; for drills. Default: Manage',
  ),
  setting('database-user', 'NAME', 'database user that connection Secrets name. Default: postgres'),
  setting('database-name', 'NAME', 'database that connection Secrets name. Default: postgres'),
  setting(
    'shared-project-adoption',
    'BOOL',
    "allow raw ids (vpcId, serviceId) with the operator's own key, which reaches its whole project. Default: false",
  ),
  setting(
    'accept-objects-of-cluster',
    'LIST',
    'uids of clusters whose restored objects this operator adopts. Default: none',
  ),
  setting('workers', 'N', 'reconciles at the same time, per kind and API key. Default: 16'),
  setting('rate-limit', 'N', 'calls a second to the cloud, per API key. Default: 10'),
  setting('rate-burst', 'N', 'calls at once to the cloud, per API key. Default: 20'),
  setting(
    'leader-elect',
    'BOOL',
    'elect a leader among replicas by a Lease; false only for a single process. Default: true',
  ),
  setting(
    'leader-elect-lease-duration',
    'TIME',
    'how long a standby replica waits after the last sign of the leader. Default: 15s',
  ),
  setting(
    'leader-elect-renew-deadline',
    'TIME',
    'how long the leader acts after its last renewal. Default: 10s',
  ),
  setting('leader-elect-retry-period', 'TIME', 'how often the lease is renewed. Default: 2s'),
  setting('leader-elect-resource-name', 'NAME', 'name of the Lease. Default: managed-db-operator'),
  setting(
    'leader-elect-resource-namespace',
    'NAME',
    "namespace of the Lease. Default: that of the Pod's ServiceAccount",
  ),
  setting(
    'controller-ring',
    'NAME',
    'name of the ControllerRing whose label assigns each object to a process. Default: a single process has all objects',
  ),
  setting(
    'shard-name',
    'NAME',
    'name of this process in that label, and of its Lease, such as the name of its Pod',
  ),
  setting(
    'health-address',
    'HOST:PORT',
    'address of /healthz, /readyz and /metrics; without a host: all addresses. Default: :8080',
  ),
  setting(
    'usage-metrics',
    'BOOL',
    'serve CPU, memory and storage of each database, with namespace and name of its object, on /metrics/usage. Default: false',
  ),
  setting('log-level', 'WORD', 'trace, debug, info, warn or error. Default: info'),
  setting('log-format', 'WORD', 'json for machines, pretty for people. Default: json'),
  setting(
    'kubeconfig',
    'FILE',
    'Default: $KUBECONFIG, else ~/.kube/config, else the ServiceAccount of the Pod',
  ),
  setting('context', 'NAME', 'context of the kubeconfig. Default: its current context'),
];

/**
 * The error line for a setting: `--workers (MANAGED_DB_WORKERS): "0": must be at least 1`.
 * @param value undefined when there is none; the caller must have removed secrets
 */
export function settingError(flag: string, value: string | undefined, message: string): string {
  const variable = settingsTable.find((known) => known.flag === flag)?.variable;
  return `--${flag}${variable === undefined ? '' : ` (${variable})`}: ${value === undefined ? '' : `"${value}": `}${message}`;
}

/** The settings do not allow a start; the message names the next action. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
}

export function wrongSetting(
  flag: string,
  value: string | undefined,
  message: string,
): SettingsError {
  return new SettingsError(settingError(flag, value, message));
}
