import type { CallOptions } from '../../cloud/cloud-api.ts';
import type { ManagedObject } from '../../resources/managed-object.ts';
import type { Account } from '../credentials/accounts.ts';
import type { ArgumentsOf, CallOf, CallOperation } from '../step/step.ts';

/**
 * The object of a call to the cloud, in the version that was decided upon, and the account that
 * sends the call.
 */
export interface CallTarget {
  readonly object: ManagedObject;
  readonly account: Account;
}

/** Every operation on an existing resource takes its options last. */
type CallOperations = {
  readonly [O in CallOperation]: (...args: [...ArgumentsOf<O>, CallOptions]) => Promise<void>;
};

/**
 * Sends the call about an existing resource.
 * @param mayBeSent asked right before the request is written; false: the request is not sent
 * @throws {CloudError} when the cloud refuses the call or does not answer
 */
export function send<O extends CallOperation>(
  project: CallOperations,
  asked: CallOf<O>,
  mayBeSent: () => boolean,
): Promise<void> {
  return project[asked.operation](...asked.args, { mayBeSent });
}
