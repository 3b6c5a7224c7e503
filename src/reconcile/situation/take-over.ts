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
