import { cloudResourceFinalizer } from '../../resources/annotations.ts';
import type { ManagedObject } from '../../resources/managed-object.ts';
import { printable } from '../../logging/printable.ts';
import { cutToFit, listed } from '../step/short-message.ts';

/**
 * The last message of an object that the operator releases and that finalizers of other clients hold: no later visit
 * corrects it. Undefined for an object that is gone with the operator's finalizer.
 * @param message the end of the object's resource
 */
export function lastWords(object: ManagedObject, message: string): string | undefined {
  const holders = foreignFinalizers(object);
  if (holders.length === 0) return undefined;
  const holder =
    holders.length === 1
      ? `; the finalizer ${holders[0]} holds the object`
      : `; the finalizers ${listed(holders)} hold the object`;
  return printable(cutToFit(message, holder) + holder);
}

/** Kubernetes itself removes the finalizers without a domain, which an option of a DELETE sets. */
function foreignFinalizers({ metadata: { finalizers = [] } }: ManagedObject): readonly string[] {
  return finalizers.filter((name) => name !== cloudResourceFinalizer && name.includes('/'));
}
