import type { CloudOperation } from './cloud-api.ts';
import { CloudError, type CloudErrorKind } from './cloud-error.ts';
import type { Reply } from './exchange.ts';
import type { Cleaner } from './redaction.ts';
import { retryAfterMs } from './retry-after.ts';

/** Accepts any body: JSON, HTML, a partial body, or none. */
export function replyError(operation: CloudOperation, { status, headers, body }: Reply, cleaner: Cleaner): CloudError {
  const kind = errorKindOf(status);
  const said = apiErrorIn(body);
  const retryAfter = retryAfterMs(headers['retry-after'], headers.date);
  const cloudMessage = said && cleaner.clean(said.message ?? said.code ?? '');
  return new CloudError({
    operation,
    kind,
    status,
    sent: true,
    fromApi: said !== undefined,
    ...(cloudMessage && { cloudMessage }),
    ...(retryAfter !== undefined && { retryAfterMs: retryAfter }),
    ...(kind === 'unreadable' && { field: `a reply with status ${status}, which is neither success nor error` }),
  });
}

export function errorKindOf(status: number): CloudErrorKind {
  switch (status) {
    case 401:
      return 'unauthorized';
    case 403:
      return 'forbidden';
    case 404:
    case 410:
      return 'notFound';
    case 409:
      return 'conflict';
    case 429:
      return 'rateLimited';
    // Request Timeout and Too Early say nothing about the request itself.
    case 408:
    case 425:
      return 'server';
    default:
      if (status >= 400 && status < 500) return 'invalid';
      return status >= 500 && status < 600 ? 'server' : 'unreadable';
  }
}

/** The API's own error object if the body has it: JSON with a text as `message` or `code`. */
function apiErrorIn(body: string): { readonly message: string | undefined; readonly code: string | undefined } | undefined {
  const value = parsed(body);
  if (typeof value !== 'object' || value === null) return undefined;
  const message = 'message' in value && typeof value.message === 'string' ? value.message : undefined;
  const code = 'code' in value && typeof value.code === 'string' ? value.code : undefined;
  return message === undefined && code === undefined ? undefined : { message, code };
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    // Not JSON: the page of a proxy.
    return undefined;
  }
}
