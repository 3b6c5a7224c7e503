import { newSecret } from '../../src/reconcile/connection/projection.ts';
import { nameTaken } from '../../src/reconcile/connection/secret-refused.ts';
import { resourceHash } from '../../src/reconcile/ledger/entry.ts';
import type { ObservedSecret } from '../../src/reconcile/situation/situation.ts';
import type {
  Connection,
  ConnectionWrite,
  LedgerPassword,
} from '../../src/reconcile/step/connection.ts';
import { secretsWithData, type SecretWithData } from '../../src/resources/connection-secret.ts';
import { managedServices } from '../../src/resources/managed-service.ts';

type Seen<State extends ObservedSecret['state']> = Extract<
  ObservedSecret,
  { readonly state: State }
>;

/** The connection data of the ready service. */
export const connection: Connection = {
  username: 'tsdbadmin',
  database: 'tsdb',
  direct: { host: 'db.example.com', port: 5432 },
  pooler: undefined,
  vpc: undefined,
};

/** The connection Secret in the spec of the ready service. */
export const wantedSecret = { name: 'orders-db', labels: {}, annotations: {}, connection };

/** The first password in the ledger entry of the ready service. */
const ledgerPassword: LedgerPassword = { entry: 'managedservice-uid', id: 'svc-1', number: 1 };

/** The inputs of the connection Secret of the ready service. */
export function connectionWrite(given: Partial<ConnectionWrite> = {}): ConnectionWrite {
  return {
    ...wantedSecret,
    resource: resourceHash('ManagedService', 'prj-1', 'svc-1'),
    password: ledgerPassword,
    ...given,
  };
}

/** The connection Secret in Kubernetes, computed from these inputs. A part of `metadata` that is undefined is removed. */
export function connectionSecret(
  given: Partial<ConnectionWrite> = {},
  metadata: Partial<SecretWithData['metadata']> = {},
): SecretWithData {
  const write = connectionWrite(given);
  const owner = managedServices.parse({
    metadata: { name: 'orders', namespace: 'shop', uid: 'uid', resourceVersion: '1' },
    spec: {},
  });
  const body = newSecret(write, owner, write.password && 'secret-password');
  const stored = { namespace: 'shop', uid: 'secret-uid', resourceVersion: '1' };
  return secretsWithData.parse({ ...body, metadata: { ...body.metadata, ...stored, ...metadata } });
}

/**
 * The connection Secret equals its inputs. The second parameter has the object's connection Secrets under other
 * names.
 */
export function current(
  given: Partial<ConnectionWrite> = {},
  others: readonly string[] = [],
  hasOtherPassword = false,
): Seen<'current'> {
  return {
    ...place(given),
    others,
    state: 'current',
    hasOtherPassword,
    version: {
      uid: 'secret-uid',
      resourceVersion: '1',
      username: connection.username,
      database: connection.database,
    },
  };
}

/** The connection Secret does not exist. */
export function absent(given: Partial<ConnectionWrite> = {}): Seen<'absent'> {
  return { ...place(given), state: 'absent' };
}

/** The connection Secret must be written. `isEdited`: because its content was changed. */
export function outdated(isEdited = false, given: Partial<ConnectionWrite> = {}): Seen<'outdated'> {
  return { ...place(given), state: 'outdated', isEdited, hasOldPassword: false };
}

/** A foreign Secret has the name of the connection Secret. */
export const unusable: Seen<'unusable'> = {
  name: wantedSecret.name,
  hasPassword: true,
  state: 'unusable',
  why: nameTaken(
    {
      metadata: {
        name: wantedSecret.name,
        namespace: 'shop',
        uid: 'foreign',
        resourceVersion: '1',
      },
    },
    { kind: 'ManagedService', metadata: { name: 'orders' }, spec: {} },
  ),
};

/** The object gets no connection Secret now. */
export const unread: Seen<'unread'> = {
  name: wantedSecret.name,
  hasPassword: false,
  state: 'unread',
};

function place(given: Partial<ConnectionWrite>) {
  const wanted = connectionWrite(given);
  return { name: wanted.name, hasPassword: wanted.password !== undefined, wanted, others: [] };
}
