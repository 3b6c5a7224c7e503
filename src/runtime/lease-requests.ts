import type { KubernetesClient } from './kubernetes-client.ts';
import { resourceKey } from './kubernetes-object.ts';
import { claimed, leases, released, rightNow, type Claim, type Lease, type Moment } from './lease.ts';

/** What is asked of the API server about one lease. Everything else is thinking. */
export interface LeaseRequests {
  /** As it is now; undefined when there is none. */
  get(): Promise<Lease | undefined>;
  /**
   * Takes or renews it, exactly as it was read.
   * @param current undefined to make it
   * @returns when that was asked for, from which it counts: from then on others may have seen it
   * @throws {KubernetesError} `conflict`, `alreadyExists` or `notFound` when it is another by now
   */
  claim(current: Lease | undefined): Promise<{ readonly lease: Lease; readonly asked: Moment }>;
  /** Leaves it to nobody, where it is still this process'. Whoever annotated it meanwhile does not keep it from that. */
  giveBack(): Promise<void>;
}

export interface LeaseRequestsOptions extends Claim {
  readonly client: KubernetesClient;
  readonly namespace: string;
  readonly name: string;
  /** Of one request, in milliseconds. */
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
      const body = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name, namespace }, ...current, spec };
      const lease = await (current
        ? client.replace(leases, key, body, { timeoutMs })
        : client.create(leases, namespace, body, { timeoutMs }));
      return { lease, asked };
    },
    async giveBack() {
      const lease = await get();
      if (lease?.spec.holderIdentity !== claim.identity) return;
      await client.replace(leases, key, { ...lease, spec: released(lease.spec, Date.now()) }, { timeoutMs });
    },
  };
}
