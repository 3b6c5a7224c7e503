import { annotations } from '../../resources/annotations.ts';
import { type ManagedObject, resourceTypes } from '../../resources/managed-object.ts';
import type { Situation } from './situation.ts';

/** Whether `external-id` is allowed. With the operator's own key, the id could be anybody's. */
export function mayAdopt({ account, options }: Pick<Situation, 'account' | 'options'>): boolean {
  return account.state !== 'usable' || !account.account.operatorsOwn || options.sharedProjectAdoption;
}

/** Advice if the operator's own key does not allow an adoption. */
export const ownKeyFirst = 'set spec.credentialsRef to a key of your own, with which that is possible';

export const needsAdopt = '(needs the verb adopt)';

/** How one of these ids is adopted, behind words such as `take one`. The end of a line is copied with its command: the right stands before that, a blank behind. */
export function howToAdopt(isAllowed: boolean, object: ManagedObject, ids: readonly string[]): string {
  const [id = '<id>', ...others] = ids;
  const adopts = annotateCommand(object, `${annotations.externalId}=${others.length === 0 ? id : '<id>'}`);
  return isAllowed ? ` ${needsAdopt}: ${adopts} ` : `: ${ownKeyFirst}`;
}

/** Complete commands to copy from a message. Only values with a blank need quotes. */

/** @param texts such as `managed-db.io/create-anyway=true`; a text that ends in `-` removes the annotation */
export function annotateCommand(object: ManagedObject, ...texts: readonly string[]): string {
  return `kubectl annotate --overwrite ${placeOf(object)} ${texts.join(' ')}`;
}

export function deleteCommand(object: ManagedObject): string {
  return `kubectl delete ${placeOf(object)}`;
}

function placeOf({ kind, metadata: { name, namespace } }: ManagedObject): string {
  return `${resourceTypes[kind].plural} ${name} -n ${namespace}`;
}
