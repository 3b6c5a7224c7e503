import type { EntryContent } from '../../resources/ledger-entry.ts';
import { isKind, type Kind } from '../../resources/managed-object.ts';
import type { Named } from '../why/cause.ts';
import type { ClaimOn } from './claims.ts';

export interface Resource {
  readonly kind: Kind;
  readonly projectId: string;
  readonly id: string;
  /** The service of a replica set, whose id is unique in its service alone. */
  readonly parentId: string | undefined;
  readonly name: string | undefined;
  /** Such as `2000m/8GB`, or a range of addresses. */
  readonly size: string | undefined;
  readonly state: string | undefined;
  /** RFC 3339. */
  readonly created: string | undefined;
}

/**
 * The relation of a resource to this cluster:
 *
 * | state | meaning |
 * |---|---|
 * | `managed` | the ledger entry of a living object has it |
 * | `retained` | the ledger entry of an object that is gone has it: nothing manages it. Its project may not have been read |
 * | `lost` | a ledger entry has it, and the cloud does not show it |
 * | `elsewhere` | the ledger entry of another cluster, or of another installation, has it |
 * | `claimed` | an object may own it, although no readable ledger entry says so: see `claimsOn` |
 * | `unmanaged` | no ledger entry has it, and no object claims it |
 * | `unknown` | the ledger entry of a living object has it, and its project was not read |
 */
export const states = [
  'unmanaged',
  'claimed',
  'lost',
  'retained',
  'elsewhere',
  'unknown',
  'managed',
] as const;
export type State = (typeof states)[number];

export interface Item {
  readonly relation: State;
  readonly resource: Resource;
  readonly object: Named | undefined;
  /** The evidence of a claimed resource. */
  readonly because?: string;
}

export interface InventoryInput {
  readonly resources: readonly Resource[];
  /** The projects that were read. */
  readonly projects: ReadonlySet<string>;
  /** Those of all namespaces of the ledger. */
  readonly entries: readonly EntryContent[];
  readonly clusterUid: string;
  /** Whether this operator looks after the namespace of an object. */
  readonly isWatched: (namespace: string) => boolean;
  /** Whether an object with this uid exists. */
  readonly exists: (uid: string) => boolean;
  readonly claimOn: ClaimOn;
}

/** Pure, if `exists`, `isWatched` and `claimOn` are. */
export function inventory(input: InventoryInput): readonly Item[] {
  const { resources, projects, entries, isWatched, claimOn } = input;
  const known = Map.groupBy(entries, (entry) => keyOf(entry.object.kind, entry));
  const shown = new Set(resources.map(keyOfResource));
  const ofCloud = resources.map((resource): Item => {
    const owners = (known.get(keyOfResource(resource)) ?? []).map((entry) => {
      return { relation: relationOf(entry, input), object: objectOf(entry) };
    });
    // Another object may have taken a resource over from an object that is gone.
    const owner = owners.toSorted((a, b) => weightOf(b.relation) - weightOf(a.relation))[0];
    if (owner) return { ...owner, resource };
    const claim = claimOn(resource);
    return claim
      ? { relation: 'claimed', resource, ...claim }
      : { relation: 'unmanaged', resource, object: undefined };
  });
  const absent = entries.flatMap((entry): readonly Item[] => {
    const { id, projectId, object } = entry;
    if (
      id === undefined ||
      projectId === undefined ||
      !isKind(object.kind) ||
      !isWatched(object.namespace) ||
      shown.has(keyOf(object.kind, entry))
    )
      return [];
    const resource = {
      kind: object.kind,
      projectId,
      id,
      parentId: entry.parentServiceId,
      name: undefined,
      size: undefined,
      state: undefined,
      created: undefined,
    };
    const owned = relationOf(entry, input);
    const unread = owned === 'managed' ? 'unknown' : owned;
    const relation = projects.has(projectId) ? 'lost' : unread;
    return [{ relation, resource, object: objectOf(entry) }];
  });
  return [...ofCloud, ...absent].toSorted((a, b) => weightOf(a.relation) - weightOf(b.relation));
}

function keyOfResource(resource: Resource): string {
  return keyOf(resource.kind, { ...resource, parentServiceId: resource.parentId });
}

function weightOf(relation: State): number {
  return states.indexOf(relation);
}

function relationOf(
  { clusterUid, object }: EntryContent,
  own: Pick<InventoryInput, 'clusterUid' | 'isWatched' | 'exists'>,
): State {
  if (clusterUid !== own.clusterUid || !own.isWatched(object.namespace)) return 'elsewhere';
  return own.exists(object.uid) ? 'managed' : 'retained';
}

function objectOf({ object: { kind, namespace, name } }: EntryContent): Named | undefined {
  return isKind(kind) ? { kind, namespace, name } : undefined;
}

function keyOf(
  kind: string,
  { projectId, id, parentServiceId }: Pick<EntryContent, 'projectId' | 'id' | 'parentServiceId'>,
): string {
  return `${kind}/${projectId}/${parentServiceId ?? ''}/${id}`;
}
