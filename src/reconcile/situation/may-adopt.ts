import type { Situation } from './situation.ts';
import { annotateCommand } from './commands.ts';
import { annotations } from '../../resources/annotations.ts';
import type { ManagedObject } from '../../resources/managed-object.ts';

/** Whether `external-id` is heard at all: with the operator's own key it could name anybody's. */
export function mayAdopt({ account, policy }: Pick<Situation, 'account' | 'policy'>): boolean {
  return account.state !== 'usable' || !account.account.operatorsOwn || policy.sharedProjectAdoption;
}

/** How to take over one of these, for whoever may. */
export function adoptionCommand(object: ManagedObject, ids: readonly string[]): string {
  const [id = '<id>', ...others] = ids;
  return `${annotateCommand(object, `${annotations.externalId}=${others.length === 0 ? id : '<id>'}`)} (needs the verb adopt)`;
}

/** The way to an adoption that the operator's own key does not allow. */
export const ownKeyFirst = 'set spec.credentialsRef to a key of your own, with which that is possible';
