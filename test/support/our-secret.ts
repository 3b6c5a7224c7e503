import { askedText } from '../../src/resources/asked-texts.ts';
import { connectionData } from '../../src/reconcile/connection/connection-data.ts';
import type { Connection } from '../../src/reconcile/step/connection.ts';
import { connectionAnnotations } from '../../src/resources/connection-secret.ts';
import type { ObservedSecret, ConnectionSecret } from '../../src/reconcile/situation/observed-secret.ts';
import { initialOrigin } from '../../src/reconcile/step/password-origin.ts';
import { connectionFinalizer, connectionLabel } from '../../src/resources/annotations.ts';

/** The connection data of the ready service. */
export const connection: Connection = {
  username: 'tsdbadmin',
  database: 'tsdb',
  direct: { host: 'db.example.com', port: 5432 },
  pooler: undefined,
  vpc: undefined,
};

/** The connection Secret as it must be. `annotations` and the other parts of `metadata` are added. */
export function connectionSecret({ metadata, ...content }: PartOfSecret = {}): ConnectionSecret {
  return {
    metadata: {
      name: 'orders-db',
      namespace: 'shop',
      uid: 'secret-uid',
      resourceVersion: '1',
      labels: { [connectionLabel]: 'true' },
      finalizers: [connectionFinalizer],
      ...metadata,
      annotations: {
        [connectionAnnotations.owner]: 'ManagedService/orders',
        [connectionAnnotations.id]: 'svc-1',
        [connectionAnnotations.clusterUid]: 'cluster',
        [connectionAnnotations.asked]: askedText({}),
        [connectionAnnotations.passwordHandled]: initialOrigin,
        ...metadata?.annotations,
      },
    },
    values: connectionData(connection, undefined),
    password: 'confirmed',
    passwordDigest: 'digest',
    length: 'fits',
    consistent: true,
    ...content,
  };
}

type PartOfSecret = Partial<Omit<ConnectionSecret, 'metadata'>> & { readonly metadata?: Partial<ConnectionSecret['metadata']> };

/** The connection Secret exists. */
export function ourSecret(
  given: PartOfSecret = {},
  place: Partial<Pick<ObservedSecret, 'name' | 'pending' | 'pendingBlocked'>> = {},
): Extract<ObservedSecret, { state: 'ours' }> {
  const name = place.name ?? 'orders-db';
  const secret = connectionSecret({ ...given, metadata: { name, ...given.metadata } });
  return { name, pending: undefined, pendingBlocked: undefined, ...place, state: 'ours', secret };
}
