import * as z from 'zod';
import { secretsWithData } from '../../src/resources/connection-secret.ts';
import {
  ledgerEntriesWithData,
  ledgerLabel,
  type LedgerEntryWithData,
} from '../../src/resources/ledger-entry.ts';
import {
  isKind,
  type Kind,
  type ManagedObject,
  perKind,
  resourceTypes,
} from '../../src/resources/managed-object.ts';
import { leases, pathOf, type ResourceType } from '../../src/runtime/index.ts';
import type { Created } from '../../src/simulator/store.ts';
import type { MemoryApiServer } from './api-server/api-server.ts';
import { jsonOf } from './api-server/json.ts';

export const ledgerNamespace = 'managed-db-ledger';

const listShape = z.object({ items: z.array(z.unknown()) });

type Stored<T> = (apiServer: MemoryApiServer, namespace?: string) => readonly T[];

/** Reads the objects of a type. It parses each version of an object once. */
function storedOf<T>(type: ResourceType<T>): Stored<T> {
  const parsed = new WeakMap<object, T>();
  return (apiServer, namespace) =>
    apiServer.stored(type, namespace).map((object) => {
      const value = parsed.get(object) ?? type.parse(JSON.parse(jsonOf(object)));
      parsed.set(object, value);
      return value;
    });
}

const objectsOf = perKind((kind) => storedOf<ManagedObject>(resourceTypes[kind]));
const entriesOf = storedOf(ledgerEntriesWithData);

/** All objects of a kind that the API server stores now. It is not an event, and no weather harms it. */
export function storedObjects(
  apiServer: MemoryApiServer,
  kind: Kind,
  namespace?: string,
): readonly ManagedObject[] {
  return objectsOf(kind)(apiServer, namespace);
}

/** As {@link storedObjects}, for Secrets with their data. */
export const storedSecrets = storedOf(secretsWithData);

/** As {@link storedObjects}, for Leases. */
export const storedLeases = storedOf(leases);

function itemsAt(apiServer: MemoryApiServer, path: string): readonly unknown[] {
  const reply = apiServer.answer({ method: 'GET', path, user: 'admin' });
  // Without its definition, a kind has no objects.
  if (reply.type === 'reply' && reply.status === 404) return [];
  if (reply.type !== 'reply' || reply.status !== 200)
    throw new Error(`the API server in memory did not list ${path}`);
  return listShape.parse(JSON.parse(reply.body)).items;
}

/** The entries of the ledger, with their passwords. */
export function storedEntries(apiServer: MemoryApiServer): readonly LedgerEntryWithData[] {
  return entriesOf(apiServer, ledgerNamespace).filter(
    ({ metadata }) => metadata.labels?.[ledgerLabel] === 'true',
  );
}

/** The messages of the warnings in a namespace. */
export function eventMessages(apiServer: MemoryApiServer, namespace: string): readonly string[] {
  const warning = z.object({ type: z.literal('Warning'), message: z.string() });
  return itemsAt(apiServer, `/api/v1/namespaces/${namespace}/events`).flatMap((item) => {
    const { data } = warning.safeParse(item);
    return data ? [data.message] : [];
  });
}

/** The object that an entry is about, if it exists. */
export function objectOf(
  apiServer: MemoryApiServer,
  { content }: LedgerEntryWithData,
): ManagedObject | undefined {
  if (!content || !isKind(content.object.kind)) return undefined;
  return storedObjects(apiServer, content.object.kind).find(
    ({ metadata }) => metadata.uid === content.object.uid,
  );
}

/** Whether a resource of the cloud exists, also while it is being deleted. */
export function isLiving({ deletedAt }: Pick<Created, 'deletedAt'>, now: number): boolean {
  return deletedAt === undefined || Date.parse(deletedAt) > now;
}

const ledgerPath = pathOf(secretsWithData, ledgerNamespace);

/** The manifests of the ledger, as a backup has them. */
export function savedLedger(from: MemoryApiServer): readonly string[] {
  return itemsAt(from, ledgerPath).map((item) => {
    const { metadata, ...rest } = storedSecret.parse(item);
    const { uid: _uid, resourceVersion: _version, ...kept } = metadata;
    return JSON.stringify({ ...rest, metadata: kept });
  });
}

/** Restores the ledger of a backup into a cluster. */
export function restoreLedger(saved: readonly string[], to: MemoryApiServer): void {
  for (const body of saved)
    to.answer({
      method: 'POST',
      path: ledgerPath,
      contentType: 'application/json',
      body,
      user: 'admin',
    });
}

const storedSecret = z.looseObject({ metadata: z.looseObject({}) });
