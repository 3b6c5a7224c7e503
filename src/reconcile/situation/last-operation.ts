import type { Question } from '../step/failed-create.ts';
import type { Situation } from './situation.ts';

/** The last change that the cloud accepted. Until it shows, an older-looking state means "in progress". */
export interface LastOperation {
  readonly operation: string;
  readonly wanted: string;
  /** The value before, for a change of a value. */
  readonly from?: string | undefined;
  /** `metadata.generation` of the object that requested it. */
  readonly generation?: number | undefined;
  /** Policy time. */
  readonly at: number;
  /** The cloud was seen working since: the change is over when the resource is at rest again. */
  readonly wasBusy?: boolean | undefined;
}

export const effectWithinMs = 30_000;

/**
 * Whether the cloud accepted exactly this change, and no observation was late enough to prove that it had no
 * effect.
 * @param asOf policy time of the observation that does not show the change
 */
export function isAwaitingEffect(last: LastOperation | undefined, operation: string, wanted: string, asOf: number): boolean {
  return last?.operation === operation && last.wanted === wanted && asOf - last.at < effectWithinMs;
}

/**
 * Whether the cloud answered the operator's DELETE of this resource: it accepted the DELETE, did not find the
 * resource, or calls it deleted and refused the DELETE. A failed DELETE may have changed nothing.
 */
export function isDeleteAnswered(
  last: LastOperation | undefined,
  id: string,
  operation: 'delete' | 'deletePeering' = 'delete',
): last is LastOperation {
  return last?.operation === operation && last.wanted === id;
}

/** Whether the DELETE that confirms an absence is still to be sent: lists and GETs may be wrong. */
export function isAbsenceUnsure(id: string, isStarted: boolean, last: LastOperation | undefined): boolean {
  return !isStarted || !isDeleteAnswered(last, id);
}

/** Policy time since which status shows the present state of the resource; now if it is a new state. */
export function stateSince({ object: { status }, state, cloud, now }: Pick<Situation, 'object' | 'state' | 'cloud' | 'now'>): number {
  const at = Date.parse(status?.stateSince ?? '');
  const isSame = cloud.state !== 'present' || state === status?.state;
  return isSame && at <= now ? at : now;
}

export function questionOf({ object, account }: Pick<Situation, 'object' | 'account'>): Question {
  const version = account.state === 'usable' ? account.secret?.keyVersion : undefined;
  return { generation: object.metadata.generation, ...(version === undefined ? {} : { credentialsVersion: version }) };
}
