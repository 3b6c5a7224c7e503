import * as z from 'zod';
import { secretsWithData } from '../../src/resources/connection-secret.ts';
import {
  ledgerEntriesWithData,
  ledgerLabel,
  type LedgerEntryWithData,
} from '../../src/resources/ledger-entry.ts';
import { isKind, type ManagedObject, resourceTypes } from '../../src/resources/managed-object.ts';
import { pathOf, type ResourceType } from '../../src/runtime/index.ts';
import type { Created } from '../../src/simulator/store.ts';
import type { MemoryApiServer } from './api-server/api-server.ts';

export const ledgerNamespace = 'managed-db-ledger';

const listShape = z.object({ items: z.array(z.unknown()) });

/** All objects of a type that the API server stores now. It is not an event, and no weather harms it. */
export function storedObjects<T>(
  apiServer: MemoryApiServer,
  type: ResourceType<T>,
  namespace?: string,
): readonly T[] {
  return itemsAt(apiServer, pathOf(type, namespace)).map((item) => type.parse(item));
}

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
  return storedObjects(apiServer, ledgerEntriesWithData, ledgerNamespace).filter(
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
  const type: ResourceType<ManagedObject> = resourceTypes[content.object.kind];
  return storedObjects(apiServer, type).find(({ metadata }) => metadata.uid === content.object.uid);
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
