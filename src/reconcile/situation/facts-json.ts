import { CloudError, type CloudErrorDetails } from '../../cloud/cloud-error.ts';
import type { Facts } from './situation.ts';

/**
 * Facts as JSON, for the debug line of a visit: with the rules of the same version they lead to the same step. A map, a
 * set and an error of the cloud become an object with a single key: `$map`, `$set` or `$cloudError`. Facts contain no
 * secret.
 */
export function factsJson(facts: Facts): unknown {
  return plain(facts);
}

function plain(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(plain);
  if (value instanceof Map) return { $map: [...value].map(plain) };
  if (value instanceof Set) return { $set: [...value].map(plain) };
  if (value instanceof CloudError) return { $cloudError: detailsOf(value) };
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, plain(part)]));
}

/** Without the cause: an error of the HTTP client may carry bytes of a reply. */
function detailsOf(error: CloudError): CloudErrorDetails {
  const { operation, kind, status, cloudMessage, retryAfterMs } = error;
  const { pausedUntilMs, sent, fromApi, field } = error;
  return {
    operation,
    kind,
    status,
    cloudMessage,
    retryAfterMs,
    pausedUntilMs,
    sent,
    fromApi,
    field,
  };
}
