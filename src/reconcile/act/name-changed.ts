import { isWhole } from '../../cloud/list-poller.ts';
import type { Account } from '../credentials/account.ts';
import { CloudError, orCloudError } from '../../cloud/cloud-error.ts';
import { mayHaveName } from '../record/attempt.ts';
import type { Outcome } from '../step/outcome.ts';
import { keep, wait } from '../step/step.ts';
import type { ManagedObject } from '../../resources/managed-object.ts';
import type { CreateAction } from '../step/action.ts';
import { listIn } from './create.ts';

/**
 * Looks again before a create under a chosen name, since the decision may stand on a list of some seconds ago.
 * @param notBefore policy time at which the visit began
 * @returns the end of the visit if a list of this visit has a resource of the name that the decision did not know, or is not whole; otherwise undefined
 */
export async function nameChanged(
  { name, creation, sameNameIds, record }: CreateAction,
  object: ManagedObject,
  account: Pick<Account, 'observer'>,
  notBefore: number,
): Promise<Outcome | undefined> {
  if (name.kind === 'ours') return undefined;
  const list = listIn(account, object, { creation });
  const fresh = await orCloudError(list.since(notBefore));
  if (fresh instanceof CloudError) return { type: 'failed', error: fresh, object };
  const unexplained = await orCloudError(list.unexplained(fresh, { unidentified: (item) => mayHaveName(item, name.name) }));
  if (unexplained instanceof CloudError) return { type: 'failed', error: unexplained, object };
  const known = new Set([...sameNameIds, record.id]);
  const isKnown = [...fresh.items].every(([id, item]) => !mayHaveName(item, name.name) || known.has(id));
  if (isKnown && isWhole(unexplained)) return undefined;
  return { type: 'conflict', step: keep(wait('WaitingForCloud', `looking again whether "${name.name}" exists in the cloud`)) };
}
