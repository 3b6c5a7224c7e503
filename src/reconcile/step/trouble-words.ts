import type { CloudError } from '../../cloud/cloud-error.ts';
import { TransportFailure } from '../../cloud/transport-failure.ts';

/**
 * Why a request came to nothing, as a user reads it. A failure of the cloud is told by its status or the code of the connection's failure, and not in
 * its words, which may differ each time.
 * @param what `resize the service`, `show the service`
 */
export function troubleWords(error: CloudError, what: string): string {
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

/** The cloud's own words, where it said something; else what was wrong with a request that was not sent. */
function quoted({ cloudMessage, field }: CloudError): string {
  return cloudMessage ? `: "${cloudMessage}"` : inBrackets(field);
}
