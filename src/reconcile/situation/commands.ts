import { resourceTypes, type ManagedObject } from '../../resources/managed-object.ts';

/** Whole commands, to be copied from a message. Nothing in them wants quotes but what has a blank. */

/** @param texts `managed-db.io/create-anyway=true`; one that ends in `-` is taken off */
export function annotateCommand(object: ManagedObject, ...texts: readonly string[]): string {
  return `kubectl annotate --overwrite ${placeOf(object)} ${texts.join(' ')}`;
}

export function deleteCommand(object: ManagedObject): string {
  return `kubectl delete ${placeOf(object)}`;
}

/** @param status a JSON merge patch of the status. It takes rights on it that only the operator and an administrator have. */
export function patchStatusCommand(object: ManagedObject, status: object): string {
  return `kubectl patch ${placeOf(object)} --subresource=status --type=merge -p '${JSON.stringify({ status })}'`;
}

function placeOf({ kind, metadata: { name, namespace } }: ManagedObject): string {
  return `${resourceTypes[kind].plural} ${name} -n ${namespace}`;
}
