import { entryLabels, type LedgerEntry } from '../../resources/ledger-entry.ts';
import { typeOf, type Kind, type ManagedObject } from '../../resources/managed-object.ts';
import { attemptName, mayBeNew } from '../../reconcile/ledger/attempt.ts';
import { entryName, objectOfEntry, resourceHash } from '../../reconcile/ledger/entry.ts';
import type { Named } from '../why/cause.ts';
import { nameText } from '../why/text.ts';

/** A resource in the cloud, as far as a claim depends on it. */
export interface Claimable {
  readonly kind: Kind;
  readonly projectId: string;
  readonly id: string;
  /** The service of a replica set. */
  readonly parentId: string | undefined;
  readonly name: string | undefined;
}

/** The trace of an object that may own a resource, although no readable ledger entry says so. */
export interface Claim {
  /** The object may be gone. Undefined if only an unreadable ledger entry names the resource. */
  readonly object: Named | undefined;
  /** The evidence, as a clause about the object. */
  readonly because: string;
}

/** Finds the claim on a resource that is not the resource of a readable ledger entry. Undefined without a claim. */
export type ClaimOn = (resource: Claimable) => Claim | undefined;

/** The sentence about a claimed resource, with the next action. Pure. */
export function claimText({ object, because }: Claim): string {
  return object
    ? `${nameText(object)} may own it: ${because}; the status of the object, or of a new object of its name, says the next action`
    : `${because}: restore that Secret from a backup`;
}

/**
 * A resource has a claim in these cases:
 *
 * - The open create of an object, living or gone, may have made it. A resource without a name may have any name.
 * - The status of an object has its id: a restore or a person removed the ledger entry.
 * - A ledger entry that cannot be read is about it, by the label of the entry.
 *
 * @param entries of all namespaces, also of objects that this operator does not look after
 */
export function claimsOn(
  entries: readonly LedgerEntry[],
  objects: readonly ManagedObject[],
): ClaimOn {
  const unreadable = entries.filter((entry) => objectOfEntry(entry) === undefined);
  const creates = entries.flatMap((entry) => {
    const object = objectOfEntry(entry);
    const { attempt, projectId } = entry.content ?? {};
    return object && attempt ? [{ object, attempt, projectId }] : [];
  });
  return ({ kind, projectId, id, parentId, name }) => {
    const create = creates.find(
      ({ object, attempt, projectId: project }) =>
        object.kind === kind &&
        project === projectId &&
        (attempt.request.parentId === undefined || attempt.request.parentId === parentId) &&
        (name === undefined || attemptName(attempt) === name) &&
        mayBeNew(attempt, id, () => false),
    );
    if (create)
      return {
        object: namedOf(create.object),
        because: 'its open create may have made the resource',
      };
    const shown = objects.find(
      (object) =>
        object.kind === kind &&
        object.status?.id === id &&
        (object.status.projectId ?? projectId) === projectId &&
        typeOf(object).parent?.shownId(object) === parentId,
    );
    if (shown) return { object: namedOf(shown), because: 'its status has the id of the resource' };
    const hash = resourceHash(kind, projectId, id);
    const entry = unreadable.find(
      ({ metadata }) => metadata.labels?.[entryLabels.resource] === hash,
    );
    if (!entry) return undefined;
    const owner = objects.find((object) => entryName(object) === entry.metadata.name);
    const because = `${entry.metadata.name}, its ledger entry, cannot be read`;
    return { object: owner && namedOf(owner), because };
  };
}

function namedOf({
  kind,
  metadata: { namespace, name },
}: Pick<ManagedObject, 'kind'> & { readonly metadata: Pick<Named, 'namespace' | 'name'> }): Named {
  return { kind, namespace, name };
}
