import * as z from 'zod';
import { kinds, resourceTypes } from '../../resources/managed-object.ts';
import { parseKey, resourceKey } from '../../runtime/index.ts';
import type { ClusterReader } from '../copy/cluster-copy.ts';
import { CommandError } from '../error.ts';
import { collected, memoryGuard } from '../memory.ts';
import type { Edit } from '../plan/plan.ts';
import { pagesOf } from './objects.ts';
import { permitted } from './permission.ts';

export interface PruneFlags {
  readonly prune: boolean;
  /** Labels, as for kubectl. */
  readonly selector?: string;
}

/** @throws {CommandError} for a flag of pruning without the others */
export function checkPruneFlags({ prune, selector }: PruneFlags, hasManifests: boolean): void {
  if (prune && !hasManifests)
    throw new CommandError(
      '--prune deletes objects that are not in manifests: give them, too: plan -f DIR --prune -l LABEL=VALUE',
    );
  if (prune && (selector === undefined || selector === ''))
    throw new CommandError(
      '--prune needs the labels of the objects that belong to the manifests: plan -f DIR --prune -l LABEL=VALUE',
    );
  if (!prune && selector !== undefined)
    throw new CommandError(
      '-l chooses the objects that --prune deletes: add --prune, or leave out -l',
    );
}

const named = z.object({ metadata: z.object({ namespace: z.string(), name: z.string() }) });

/**
 * The deletions of the objects with these labels that no manifest contains, in the namespaces of the manifests.
 * @throws {CommandError} @throws {KubernetesError}
 */
export async function prunedObjects(
  cluster: ClusterReader,
  labelSelector: string,
  {
    edits,
    namespaces,
  }: { readonly edits: readonly Edit[]; readonly namespaces: readonly string[] },
): Promise<readonly Edit[]> {
  const kept = new Set(
    edits.flatMap((edit) =>
      edit.type === 'apply' && edit.of ? [`${edit.of.kind} ${edit.of.key}`] : [],
    ),
  );
  const memory = memoryGuard();
  const deletions: Edit[] = [];
  for (const kind of kinds)
    for (const namespace of namespaces) {
      const type = { ...resourceTypes[kind], parse: (value: unknown) => named.parse(value) };
      const pages = pagesOf(cluster, type, { namespace, labelSelector });
      const all = await collected(permitted(pages, type.plural, namespace), memory);
      for (const { metadata } of all) {
        const key = resourceKey(metadata.namespace, metadata.name);
        if (!kept.has(`${kind} ${key}`)) deletions.push({ type: 'delete', kind, key });
      }
    }
  return deletions;
}

/** The namespaces of the manifests, in order. Pure. */
export function namespacesOf(edits: readonly Edit[]): readonly string[] {
  const all = edits.flatMap((edit) => {
    const key = edit.type === 'delete' ? edit.key : edit.of?.key;
    return key === undefined ? [] : [parseKey(key).namespace ?? ''];
  });
  return [...new Set(all)].toSorted();
}
