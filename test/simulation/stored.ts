import * as z from 'zod';
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
  const path = pathOf(type, namespace);
  const reply = apiServer.answer({ method: 'GET', path, user: 'admin' });
  if (reply.type !== 'reply' || reply.status !== 200)
    throw new Error(`the API server in memory did not list ${path}`);
  return listShape.parse(JSON.parse(reply.body)).items.map((item) => type.parse(item));
}

/** The entries of the ledger, with their passwords. */
export function storedEntries(apiServer: MemoryApiServer): readonly LedgerEntryWithData[] {
  return storedObjects(apiServer, ledgerEntriesWithData, ledgerNamespace).filter(
    ({ metadata }) => metadata.labels?.[ledgerLabel] === 'true',
  );
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
