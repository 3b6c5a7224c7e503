import type { CallOptions } from '../../cloud/cloud-api.ts';
import type { ArgumentsOf, CallOf, CallOperation } from '../step/step.ts';

/** Every operation on an existing resource takes its options last. */
type CallOperations = {
  readonly [O in CallOperation]: (...args: [...ArgumentsOf<O>, CallOptions]) => Promise<void>;
};

/** @throws {CloudError} */
export function send<O extends CallOperation>(
  project: CallOperations,
  asked: CallOf<O>,
  mayBeSent: () => boolean,
): Promise<void> {
  return project[asked.operation](...asked.args, { mayBeSent });
}
