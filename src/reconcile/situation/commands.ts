import { resourceTypes, type ManagedObject } from '../../resources/managed-object.ts';

/** Complete commands to copy from a message. Only values with a blank need quotes. */

/** @param text such as `managed-db.io/create-anyway=true`; a text that ends in `-` removes the annotation */
export function annotateCommand(object: ManagedObject, text: string): string {
  return `kubectl annotate --overwrite ${placeOf(object)} ${text}`;
}

export function deleteCommand(object: ManagedObject): string {
  return `kubectl delete ${placeOf(object)}`;
}

function placeOf({ kind, metadata: { name, namespace } }: ManagedObject): string {
  return `${resourceTypes[kind].plural} ${name} -n ${namespace}`;
}
