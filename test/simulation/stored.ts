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

/** Restores the ledger of a cluster into another cluster, as a backup does. */
export function copyLedger(from: MemoryApiServer, to: MemoryApiServer): void {
  const path = pathOf(secretsWithData, ledgerNamespace);
  for (const item of itemsAt(from, path)) {
    const { metadata, ...rest } = storedSecret.parse(item);
    const { uid: _uid, resourceVersion: _version, ...kept } = metadata;
    const body = JSON.stringify({ ...rest, metadata: kept });
    to.answer({ method: 'POST', path, contentType: 'application/json', body, user: 'admin' });
  }
}

const storedSecret = z.looseObject({ metadata: z.looseObject({}) });
