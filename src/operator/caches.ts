import { connectionSecrets } from '../resources/watched-secret.ts';
import type { Caches } from '../reconcile/process/context.ts';
import { secretMetadata } from '../resources/secret-metadata.ts';
import { connectionLabel, credentialsLabel } from '../resources/annotations.ts';
import { managedServices } from '../resources/managed-service.ts';
import { managedVpcs } from '../resources/managed-vpc.ts';
import { replicaSets } from '../resources/replica-set.ts';
import type { Manager } from '../runtime/index.ts';

/** What the operator knows of Kubernetes: a copy of each kind that it looks after, and of the Secrets that it made or holds. */
export function operatorCaches(runtime: Pick<Manager, 'cache'>): Caches {
  return {
    vpcs: runtime.cache(managedVpcs),
    services: runtime.cache(managedServices),
    replicaSets: runtime.cache(replicaSets),
    connectionSecrets: runtime.cache(connectionSecrets, { [connectionLabel]: 'true' }),
    credentialsSecrets: runtime.cache(secretMetadata, { [credentialsLabel]: { any: true } }),
  };
}
