import type { CloudOperation } from '../../../src/cloud/cloud-api.ts';
import { operations } from '../../../src/cloud/wire/all.ts';
import type { Fault } from './faults.ts';
import { rows, type Phase, type Row } from './rows.ts';

/** Why an operation is in no row of a phase; undefined when it has to be. */
export function whyNoRow(operation: CloudOperation, phase: Phase): string | undefined {
  if (rows.some((row) => row.operation === operation && row.phase === phase)) return undefined;
  const { effect } = operations[operation];
  if (effect === 'create')
    return 'asked for when the object is created, or made again: the same request, by the same rules';
  if (effect === 'delete') return 'asked for when the object is deleted';
  if (effect === 'change')
    return 'asked for when the object is changed, and in no other way when it is created';
  if (effect === 'read' && operation !== 'getCredentialsInfo' && !operation.startsWith('list'))
    return 'asked only when the list does not show what it should: that is "changed"';
  return undefined;
}

/** Why there is no such cell. */
export function whyLeftOut({ operation, phase }: Row, { title }: Fault): string | undefined {
  const { effect } = operations[operation];
  if (operation === 'getCredentialsInfo' && phase === 'ready' && title === '401')
    return 'a key that is not accepted is told on all that is done with it: a person has to act';
  if (
    ['getVpc', 'getPeering', 'getService'].includes(operation) &&
    phase === 'changed' &&
    title === '404'
  )
    return 'a list and a GET that agree say that it is gone, which is told as that';
  const isRead = effect === 'read' || effect === 'create';
  return title === 'unreadable' && !isRead
    ? 'of its reply an id alone is read, which an unreadable one does not have'
    : undefined;
}
