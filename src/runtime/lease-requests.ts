import type { KubernetesClient } from './kubernetes-client.ts';
import { resourceKey } from './kubernetes-object.ts';
import { claimed, isHeldBy, leases, released, rightNow, type Claim, type Lease, type Moment } from './lease.ts';

export interface LeaseRequests {
  /** Undefined when there is no Lease. */
  get(): Promise<Lease | undefined>;
  /**
   * Takes or renews the lease in the version that was read.
   * @param current undefined to create the lease
   * @returns the lease, and the begin of the request. The tenure counts from there, since other processes may have seen
   *   the renewal from then on
   * @throws {KubernetesError} `conflict`, `alreadyExists` or `notFound` when the lease has changed
   */
  claim(current: Lease | undefined): Promise<{ readonly lease: Lease; readonly asked: Moment }>;
  /** Releases the lease if this process still holds it, even if another client annotated it meanwhile. */
  giveBack(): Promise<void>;
}

export interface LeaseRequestsOptions extends Claim {
  readonly client: KubernetesClient;
  readonly namespace: string;
  readonly name: string;
  /** For a single request. */
  readonly timeoutMs: number;
}

export function leaseRequests({ client, namespace, name, timeoutMs, ...claim }: LeaseRequestsOptions): LeaseRequests {
  const key = resourceKey(namespace, name);
  const get = () => client.get(leases, key, { timeoutMs });
  return {
    get,
    async claim(current) {
      const asked = rightNow();
      const spec = claimed(current?.spec, claim, asked.wall);
      const metadata = marked(current?.metadata ?? { name, namespace }, claim);
      const body = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', ...current, metadata, spec };
      const lease = await (current
        ? client.replace(leases, key, body, { timeoutMs })
        : client.create(leases, namespace, body, { timeoutMs }));
      return { lease, asked };
    },
    async giveBack() {
      const lease = await get();
      if (!lease || !isHeldBy(claim, lease)) return;
      await client.replace(leases, key, { ...lease, spec: released(lease.spec, Date.now()) }, { timeoutMs });
    },
  };
}

function marked(metadata: Partial<Lease['metadata']>, { marks }: Claim): object {
  if (!marks) return metadata;
  const { labels, annotations } = marks;
  return { ...metadata, labels: { ...metadata.labels, ...labels }, annotations: { ...metadata.annotations, ...annotations } };
}
