import type { Caches } from '../../reconcile/process/context.ts';
import { holderIn } from '../../reconcile/process/claims.ts';
import { entryLabels } from '../../resources/ledger-entry.ts';
import { isKind, type Kind } from '../../resources/managed-object.ts';

/** `bound`: its object is there. `left`: its object is gone, so the operator does not manage the resource. */
export const entryStates = ['bound', 'left', 'unreadable'] as const;
export type EntryState = (typeof entryStates)[number];

export interface EntryGroup {
  readonly kind: Kind;
  readonly state: EntryState;
}

/** Without the entries of other clusters. */
export function entryFigures({ ledger, of }: Pick<Caches, 'ledger' | 'of'>, clusterUid: string | undefined): readonly EntryGroup[] {
  return [...ledger.entries.values()].flatMap((entry): readonly EntryGroup[] => {
    const holder = holderIn(entry);
    if (holder && entry.content?.clusterUid !== clusterUid) return [];
    if (holder) {
      const { kind, key, uid } = holder;
      return [{ kind, state: of(kind).get(key)?.metadata.uid === uid ? 'bound' : 'left' }];
    }
    const kind = entry.metadata.labels?.[entryLabels.kind] ?? '';
    return isKind(kind) ? [{ kind, state: 'unreadable' }] : [];
  });
}
