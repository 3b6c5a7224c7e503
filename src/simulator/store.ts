import type * as z from 'zod';
import type { wireSchemas } from '../cloud/wire/all.ts';
import { notFound } from './api-error.ts';
import { type Clock, type Step, timeline, type Timeline } from './timeline.ts';

export const kinds = ['service', 'replicaSet', 'peering', 'vpc'] as const;
export type Kind = (typeof kinds)[number];

type Resources = { readonly [K in Kind]: z.infer<(typeof wireSchemas)[Capitalize<K>]> };

const words: Readonly<Record<Kind, string>> = {
  service: 'service',
  replicaSet: 'replica set',
  peering: 'peering',
  vpc: 'VPC',
};

interface Stored<T> {
  readonly timeline: Timeline<T>;
  readonly parentId: string | undefined;
  /** Of a service. The API does not show it. */
  password: string;
}

export type Stores = { readonly [K in Kind]: Map<string, Stored<Resources[K]>> };

/** Also a resource that no longer exists. */
export interface Created {
  readonly kind: Kind;
  readonly id: string;
  readonly name: string | undefined;
  readonly parentId: string | undefined;
  /** RFC 3339. */
  readonly createdAt: string;
  deletedAt: string | undefined;
}

export interface Inventory {
  readonly clock: Clock;
  readonly stores: Stores;
  readonly everCreated: Created[];
}

export function newStores(): Stores {
  return { service: new Map(), replicaSet: new Map(), peering: new Map(), vpc: new Map() };
}

/** With a parent, those that belong to it. */
export function list<K extends Kind>(
  { stores }: Inventory,
  kind: K,
  time: number,
  parentId?: string,
): readonly Resources[K][] {
  return [...stores[kind].values()]
    .filter((each) => parentId === undefined || each.parentId === parentId)
    .map((each) => each.timeline.at(time))
    .filter((seen) => seen !== undefined);
}

/** A resource as it is now. @throws {ApiError} 404, also for a resource of another parent */
export function find<K extends Kind>(
  { stores, clock }: Inventory,
  kind: K,
  id: string,
  parentId?: string,
): Resources[K] {
  const stored = stores[kind].get(id);
  const seen =
    parentId === undefined || stored?.parentId === parentId
      ? stored?.timeline.at(clock.now())
      : undefined;
  if (seen === undefined) throw notFound(words[kind], id);
  return seen;
}

interface New<T> {
  readonly id: string;
  readonly first: T;
  readonly steps?: readonly Step<T>[];
  readonly name?: string | undefined;
  readonly parentId?: string;
  readonly password?: string;
}

export function create<K extends Kind>(
  inventory: Inventory,
  kind: K,
  made: New<Resources[K]>,
): Resources[K] {
  const { id, first, steps = [], name, parentId, password = '' } = made;
  const now = inventory.clock.now();
  inventory.stores[kind].set(id, { timeline: timeline(now, first), parentId, password });
  change(inventory, kind, id, steps);
  inventory.everCreated.push({
    kind,
    id,
    name,
    parentId,
    createdAt: new Date(now).toISOString(),
    deletedAt: undefined,
  });
  return find(inventory, kind, id);
}

export function change<K extends Kind>(
  { stores, clock }: Inventory,
  kind: K,
  id: string,
  steps: readonly Step<Resources[K]>[],
): void {
  stores[kind].get(id)?.timeline.plan(clock.now(), steps);
}

export function remove(
  inventory: Inventory,
  kind: Kind,
  id: string,
  { status, afterMs = 0 }: { readonly status?: string; readonly afterMs?: number } = {},
): void {
  change(inventory, kind, id, [
    { afterMs: 0, change: (before) => ({ ...before, status }) },
    { afterMs, change: () => undefined },
  ]);
  markDeleted(inventory, id, inventory.clock.now() + afterMs);
}

/** A state to force on a resource, any word; undefined removes the resource. */
interface Forced {
  readonly kind: Kind;
  readonly id: string;
  readonly status: string | undefined;
  /** Of a peering. */
  readonly errorMessage?: string | undefined;
}

/** Forces a resource into a state, or removes it, without an API call. Cancels its planned changes. @throws {ApiError} 404 */
export function force(inventory: Inventory, { kind, id, status, errorMessage }: Forced): void {
  find(inventory, kind, id);
  if (status === undefined) return remove(inventory, kind, id);
  change(inventory, kind, id, [
    { afterMs: 0, change: (before) => ({ ...before, status, error_message: errorMessage }) },
  ]);
  markDeleted(inventory, id, undefined);
}

/** @param at undefined: the deletion is cancelled */
function markDeleted({ everCreated }: Inventory, id: string, at: number | undefined): void {
  const created = everCreated.findLast((each) => each.id === id);
  if (created) created.deletedAt = at === undefined ? undefined : new Date(at).toISOString();
}
