import type { CloudError } from '../cloud/cloud-error.ts';
import { TransportFailure } from '../cloud/transport-failure.ts';

/**
 * Why a request came to nothing, as a user reads it. A failure of the cloud is told by its status or the code of the connection's failure, and not in
 * its words, which may differ each time.
 */
export function troubleWords(error: CloudError): string {
  switch (error.kind) {
    case 'server':
      return `the cloud fails${inBrackets(error.status === undefined ? undefined : `HTTP ${error.status}`)}`;
    case 'network':
      return `the cloud cannot be reached${inBrackets(error.cause instanceof TransportFailure ? error.cause.code : undefined)}`;
    case 'timeout':
      return 'the cloud did not answer in time';
    case 'aborted':
      return 'the request was held back or broken off';
    case 'rateLimited':
      return 'the cloud limits how often this API key may call it';
    case 'unreadable':
      return `the cloud's reply could not be understood (${error.field ?? error.operation})`;
    case 'notFound':
    case 'conflict':
      return `the cloud cannot do it now${quoted(error)}`;
    case 'invalid':
    case 'unauthorized':
    case 'forbidden':
      return `the cloud refused the request${quoted(error)}`;
  }
}

function inBrackets(detail: string | undefined): string {
  return detail === undefined ? '' : ` (${detail})`;
}

/** The cloud's own words, where it said something. */
export function quoted(error: CloudError): string {
  return error.cloudMessage ? `: "${error.cloudMessage}"` : '';
}
