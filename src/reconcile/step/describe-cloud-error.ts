import type { CloudError } from '../../cloud/cloud-error.ts';
import { TransportFailure } from '../../cloud/transport-failure.ts';

/**
 * The reason of a failed call as text for a user. A failure of the cloud is named by its status or connection error code, not by its message, which may
 * differ each time.
 * @param what the call, such as `resize the service`
 */
export function describeCloudError(error: CloudError, what: string): string {
  switch (error.kind) {
    case 'server':
      return `the cloud fails${inBrackets(error.status === undefined ? undefined : `HTTP ${error.status}`)}`;
    case 'network':
      return `the cloud cannot be reached${inBrackets(error.cause instanceof TransportFailure ? error.cause.code : undefined)}`;
    case 'timeout':
      return 'the cloud did not answer in time';
    case 'aborted':
      return 'the operator was stopping, or could not be sure to be the only one';
    case 'rateLimited':
      return 'the cloud limits how often this API key may call it';
    case 'unreadable':
      return `the cloud's reply could not be understood (${error.field ?? error.operation})`;
    case 'notFound':
    case 'conflict':
      return `the cloud cannot ${what} now${quoted(error)}`;
    case 'invalid':
    case 'unauthorized':
    case 'forbidden':
      return `the cloud refused to ${what}${quoted(error)}`;
  }
}

function inBrackets(detail: string | undefined): string {
  return detail === undefined ? '' : ` (${detail})`;
}

/** The cloud's message if there is one, otherwise the problem of a request that was not sent. */
function quoted({ cloudMessage, field }: CloudError): string {
  return cloudMessage ? `: "${cloudMessage}"` : inBrackets(field);
}
