import type { CloudError } from '../cloud/cloud-error.ts';
import { TransportFailure } from '../cloud/transport-failure.ts';

/** How the cloud fails, as a user reads it: its status or the code of the connection's failure, and not its words, which may differ each time. */
export function unavailableWords({ kind, status, cause }: Pick<CloudError, 'kind' | 'status' | 'cause'>): string {
  if (kind === 'server') return `the cloud fails${inBrackets(status === undefined ? undefined : `HTTP ${status}`)}`;
  if (kind === 'timeout') return 'the cloud did not answer in time';
  if (kind === 'aborted') return 'the request was broken off';
  return `the cloud cannot be reached${inBrackets(cause instanceof TransportFailure ? cause.code : undefined)}`;
}

function inBrackets(detail: string | undefined): string {
  return detail === undefined ? '' : ` (${detail})`;
}
