import type { Question } from '../step/failed-create.ts';
import type { Situation } from './situation.ts';

/** The question that a create of this object would ask now. */
export function questionOf({ object, account }: Pick<Situation, 'object' | 'account'>): Question {
  const version = account.state === 'usable' ? account.secret?.keyVersion : undefined;
  return { generation: object.metadata.generation, ...(version === undefined ? {} : { credentialsVersion: version }) };
}
