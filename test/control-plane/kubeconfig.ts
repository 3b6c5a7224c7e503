import { stringify } from 'yaml';

/** The part of a control plane that a kubeconfig needs. */
interface Server {
  readonly server: string;
  readonly caData: string;
}

/** A kubeconfig file as data, with a single cluster, user and context. */
export interface Kubeconfig {
  readonly apiVersion: 'v1';
  readonly kind: 'Config';
  readonly 'current-context': string;
  readonly clusters: readonly {
    name: string;
    cluster: { server: string; 'certificate-authority-data': string };
  }[];
  readonly users: readonly { name: string; user: { token: string } }[];
  readonly contexts: readonly {
    name: string;
    context: { cluster: string; user: string; namespace?: string };
  }[];
}

/** A kubeconfig for the holder of `token`; `namespace` is kubectl's default namespace. */
export function kubeconfigFor(
  { server, caData }: Server,
  options: { token: string; namespace?: string; user?: string },
): Kubeconfig {
  const name = 'control-plane';
  const user = options.user ?? 'user';
  const namespace = options.namespace === undefined ? {} : { namespace: options.namespace };
  return {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': name,
    clusters: [{ name, cluster: { server, 'certificate-authority-data': caData } }],
    users: [{ name: user, user: { token: options.token } }],
    contexts: [{ name, context: { cluster: name, user, ...namespace } }],
  };
}

export function adminKubeconfig(handle: Server & { readonly adminToken: string }): Kubeconfig {
  return kubeconfigFor(handle, { token: handle.adminToken, user: 'admin' });
}

/** The YAML of a kubeconfig file. It holds a token: write it with mode 0600. */
export function kubeconfigText(kubeconfig: Kubeconfig): string {
  return stringify(kubeconfig, { lineWidth: 0 });
}
