import { approvalNow, approvalPrefix } from '../../resources/annotations.ts';
import { heldChangesOf, type ManagedObject } from '../../resources/managed-object.ts';
import { nameText } from '../why/text.ts';

/** The annotations of an object that the command writes. */
export interface Approvals {
  readonly object: ManagedObject;
  /** By operation: the text of the approval; null removes the approval. Never empty. */
  readonly texts: ReadonlyMap<string, string | null>;
}

/**
 * The approvals of the held changes of an object that are not there. Pure.
 * @param isNow whether the approvals ignore the change windows, too
 * @returns undefined if no change of the object needs an approval
 */
export function missingApprovals(object: ManagedObject, isNow: boolean): Approvals | undefined {
  const texts = heldChangesOf(object)
    .filter(({ waitsFor }) => isNow || waitsFor === 'Approval')
    .map(({ operation, change }) => [operation, change + (isNow ? approvalNow : '')] as const)
    .filter(([operation, text]) => annotationOf(object, operation) !== text);
  return texts.length === 0 ? undefined : { object, texts: new Map(texts) };
}

/** The approvals of an object, to be removed. Pure. @returns undefined if the object has none */
export function revokedApprovals(object: ManagedObject): Approvals | undefined {
  const names = Object.keys(object.metadata.annotations ?? {}).filter((name) =>
    name.startsWith(approvalPrefix),
  );
  const texts = names.map((name) => [name.slice(approvalPrefix.length), null] as const);
  return texts.length === 0 ? undefined : { object, texts: new Map(texts) };
}

/**
 * The patch that writes the approvals, locked to the version of the object that the person has seen. Pure.
 */
export function approvalPatch({ object, texts }: Approvals): object {
  const { uid, resourceVersion } = object.metadata;
  const annotations = Object.fromEntries(
    [...texts].map(([operation, text]) => [approvalPrefix + operation, text]),
  );
  return { metadata: { uid, resourceVersion, annotations } };
}

/** The list of the changes for a person, a line for each. Pure. */
export function approvalsText(all: readonly Approvals[]): string {
  return all
    .flatMap(({ object, texts }) =>
      [...texts].map(([operation, text]) => {
        const change = text ?? annotationOf(object, operation) ?? '';
        return `${objectText(object)}: ${operation} ${change}\n`;
      }),
    )
    .join('');
}

/** Such as `msvc/orders -n shop`. */
export function objectText({ kind, metadata: { namespace, name } }: ManagedObject): string {
  return nameText({ kind, namespace, name });
}

function annotationOf({ metadata }: ManagedObject, operation: string): string | undefined {
  return metadata.annotations?.[approvalPrefix + operation];
}
