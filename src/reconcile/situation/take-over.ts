import { annotations } from '../../resources/annotations.ts';
import { annotateCommand } from './commands.ts';
import type { Situation } from './situation.ts';
import type { ManagedObject } from '../../resources/managed-object.ts';

type Known = Pick<Situation, 'identity' | 'record'>;

/** What there is to take over: the resource, or a create that was open when the record was copied. */
export function claimedId({ identity, record }: Known): string {
  return record.id ?? (identity.state === 'known' ? identity.id : (record.attempt?.id ?? ''));
}

/** What the annotation says for this object alone: a copy, or a backup that is restored, has another uid. */
export function takeOverText({ metadata }: ManagedObject, known: Known): string {
  return `${claimedId(known)} ${metadata.uid}`;
}

/** The whole command, to be copied. */
export function takeOverCommand(object: ManagedObject, known: Known): string {
  return annotateCommand(object, `${annotations.takeOver}="${takeOverText(object, known)}"`);
}

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
