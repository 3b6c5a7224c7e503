import type { EntryContent } from '../../resources/ledger-entry.ts';
import { isKind, type Kind } from '../../resources/managed-object.ts';
import type { Named } from '../why/cause.ts';

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
 * | `elsewhere` | the ledger entry of another cluster has it |
 * | `unmanaged` | no ledger entry has it |
 * | `unknown` | the ledger entry of a living object has it, and its project was not read |
 */
export const states = ['unmanaged', 'lost', 'retained', 'elsewhere', 'unknown', 'managed'] as const;
export type State = (typeof states)[number];

export interface Item {
  readonly relation: State;
  readonly resource: Resource;
  readonly object: Named | undefined;
}

export interface InventoryInput {
  readonly resources: readonly Resource[];
  /** The projects that were read. */
  readonly projects: ReadonlySet<string>;
  readonly entries: readonly EntryContent[];
  readonly clusterUid: string;
  /** Whether an object with this uid exists. */
  readonly exists: (uid: string) => boolean;
}

/** Pure. */
export function inventory({
  resources,
  projects,
  entries,
  clusterUid,
  exists,
}: InventoryInput): readonly Item[] {
  const known = new Map(entries.map((entry) => [keyOf(entry.object.kind, entry), entry]));
  const shown = new Set(
    resources.map((resource) =>
      keyOf(resource.kind, { ...resource, parentServiceId: resource.parentId }),
    ),
  );
  const ofCloud = resources.map((resource): Item => {
    const entry = known.get(
      keyOf(resource.kind, { ...resource, parentServiceId: resource.parentId }),
    );
    if (!entry) return { relation: 'unmanaged', resource, object: undefined };
    return { relation: relationOf(entry, clusterUid, exists), resource, object: objectOf(entry) };
  });
  const absent = entries.flatMap((entry): readonly Item[] => {
    const { id, projectId, object } = entry;
    if (
      id === undefined ||
      projectId === undefined ||
      !isKind(object.kind) ||
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
    const owned = relationOf(entry, clusterUid, exists);
    const unread = owned === 'managed' ? 'unknown' : owned;
    const relation = projects.has(projectId) ? 'lost' : unread;
    return [{ relation, resource, object: objectOf(entry) }];
  });
  return [...ofCloud, ...absent].toSorted(
    (a, b) => states.indexOf(a.relation) - states.indexOf(b.relation),
  );
}

function relationOf(
  { clusterUid, object }: EntryContent,
  own: string,
  exists: (uid: string) => boolean,
): State {
  if (clusterUid !== own) return 'elsewhere';
  return exists(object.uid) ? 'managed' : 'retained';
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
