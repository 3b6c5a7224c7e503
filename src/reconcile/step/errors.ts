import { type CloudError, pauseEnd, TransportFailure } from '../../cloud/cloud-error.ts';
import type { ReconcilingReason, StalledReason } from '../../resources/condition.ts';
import { typeOf, type ManagedObject } from '../../resources/managed-object.ts';
import { intervals } from './intervals.ts';
import { keep, wait, type Keep, type WaitOrStall } from './step.ts';
import { cutToFit, shortened } from './short-message.ts';
import { onOneLine } from '../../cloud/redaction.ts';
import { KubernetesError, type Requested } from '../../runtime/index.ts';

const longestQuote = 100;

/**
 * The reason of a failed call as text for a user. The status or the connection error code names the failure of
 * the cloud, since its message may differ each time.
 * @param what the call, such as `resize the service`
 * @param advice the end of the message; the cloud's words are cut so that it fits
 */
export function describeCloudError(error: CloudError, what: string, advice = ''): string {
  const trouble = describeTrouble(error, what);
  return `${trouble}${quoted(error, trouble + advice)}${advice}`;
}

/** Each API key may ask for its project, so the API of the cloud is not at this address. */
function isElsewhere({ operation, kind }: CloudError): boolean {
  return operation === 'getCredentialsInfo' && kind === 'notFound';
}

function describeTrouble(error: CloudError, what: string): string {
  if (isElsewhere(error))
    return 'the cloud has no API at the --cloud-url of the operator, which its administrator must check';
  switch (error.kind) {
    case 'server':
      return `the cloud fails${inBrackets(error.status === undefined ? undefined : `HTTP ${error.status}`)}`;
    case 'network':
      return describeConnectionError(
        error.cause instanceof TransportFailure ? error.cause.code : undefined,
      );
    case 'timeout':
      return 'the cloud did not answer in time';
    case 'aborted':
      return 'the operator was stopping, or was not sure to be the leader';
    case 'rateLimited':
      return `the cloud limits how often this API key may call it${pauseEnd(error)}`;
    case 'unreadable':
      return `the cloud's reply could not be understood (${error.field ?? error.operation})`;
    case 'notFound':
    case 'conflict':
      return `the cloud cannot ${what} now`;
    case 'invalid':
    case 'unauthorized':
    case 'forbidden':
      return `the cloud refused to ${what}`;
  }
}

function inBrackets(detail: string | undefined): string {
  return detail === undefined ? '' : ` (${detail})`;
}

/** The cloud's message, otherwise the problem of a request that was not sent. */
function quoted({ kind, cloudMessage, field }: CloudError, rest: string): string {
  if (!quotedKinds.has(kind)) return '';
  return cloudMessage
    ? `: "${cutToFit(cloudMessage, `${rest}: ""`, { most: longestQuote })}"`
    : inBrackets(field);
}

const quotedKinds: ReadonlySet<CloudError['kind']> = new Set([
  'notFound',
  'conflict',
  'invalid',
  'unauthorized',
  'forbidden',
]);

/** The codes of Node and of its HTTP client that users meet. */
const connectionErrors: ReadonlyMap<string, string> = new Map([
  ['ECONNREFUSED', 'the cloud refuses the connection'],
  ['ENOTFOUND', 'the name of the cloud does not resolve'],
  ['ECONNRESET', 'the connection to the cloud broke'],
  ['UND_ERR_SOCKET', 'the connection to the cloud broke'],
]);

function describeConnectionError(code: string | undefined): string {
  return connectionErrors.get(code ?? '') ?? `the cloud cannot be reached${inBrackets(code)}`;
}

/** The consequence of a failed call: a wait, or a report to a person. */
export type Consequence =
  | { readonly type: 'stall'; readonly reason: StalledReason; readonly retryAfterMs: number }
  | {
      readonly type: 'wait';
      readonly reason: ReconcilingReason;
      readonly retryAfterMs: number | undefined;
    };

/** `retryAfterMs` undefined: the back-off of the object applies. */
export function errorPolicy(error: CloudError): Consequence {
  if (isElsewhere(error))
    return { type: 'wait', reason: 'CloudUnavailable', retryAfterMs: undefined };
  switch (error.kind) {
    case 'invalid':
      return { type: 'stall', reason: 'Rejected', retryAfterMs: intervals.nowAndThenMs };
    case 'unauthorized':
    case 'forbidden':
      return { type: 'stall', reason: 'Unauthorized', retryAfterMs: intervals.forPersonMs };
    case 'notFound':
    case 'conflict':
      return { type: 'wait', reason: 'WaitingForCloud', retryAfterMs: undefined };
    case 'rateLimited':
      // Bounded, however long the key must pause: another key may be used by then.
      return {
        type: 'wait',
        reason: 'RateLimited',
        retryAfterMs: error.retryAfterMs && Math.min(error.retryAfterMs, intervals.forPersonMs),
      };
    case 'unreadable':
      return { type: 'wait', reason: 'UnexpectedReply', retryAfterMs: undefined };
    case 'server':
    case 'network':
    case 'timeout':
    case 'aborted':
      return { type: 'wait', reason: 'CloudUnavailable', retryAfterMs: undefined };
  }
}

const elsewhere = 'check the API server and the network to it';
const remedies: Partial<Record<KubernetesError['kind'], string>> = {
  placeMissing: 'check that its namespace and its CRD exist',
  timeout: elsewhere,
  network: elsewhere,
  tooManyRequests: 'check the load and the flow control of the API server',
  unauthorized: "check the operator's ServiceAccount",
  unreadable: 'check that object, which another version or program may have written',
};

function remedyFor({ kind }: KubernetesError): string {
  return `${remedies[kind] ?? "check policies, webhooks and the operator's ClusterRole"}; the operator retries`;
}

/**
 * The error for a write whose reply does not show it: a mutating webhook or policy changed it.
 * @param what the part that is not as it was written
 */
export function altered(operation: string, what: string): KubernetesError {
  const statusMessage = `${what} is not kept as written: a mutating webhook or policy changes it`;
  return new KubernetesError({ operation, kind: 'altered', statusMessage });
}

/**
 * The error of a step that found another version of an object than it was decided on. The next
 * visit decides again.
 */
export function overtaken(operation: string, about?: Requested): KubernetesError {
  return new KubernetesError({
    operation,
    about,
    kind: 'conflict',
    statusMessage: 'it has changed',
  });
}

/** The object, as the object of a request. */
export function requestOf(object: ManagedObject): Requested {
  const { namespace, name } = object.metadata;
  return { plural: typeOf(object).plural, namespace, name };
}

/** Whether a failed call to the API server may succeed later without a change. */
export function isPassing(error: unknown): error is KubernetesError {
  return (
    error instanceof KubernetesError && (!error.isRefusal || error.namespaceTerminating === true)
  );
}

function refusalByKubernetes(error: KubernetesError): WaitOrStall {
  const { kind, operation, statusMessage } = error;
  const advice = `; ${remedyFor(error)}`;
  // The write succeeded.
  if (kind === 'altered')
    return wait('InternalError', `after "${operation}", ${statusMessage}${advice}`);
  return wait('InternalError', describeError('Kubernetes refuses to', error, advice));
}

/** A failing webhook may recover, and a terminating namespace ends: such a failure is reported only if it lasts, a refusal at once. */
export function failedWriteStep(error: KubernetesError): WaitOrStall | Keep {
  if (!isPassing(error)) return refusalByKubernetes(error);
  return keep(
    wait('InternalError', describeError('Kubernetes could not', error, `; ${remedyFor(error)}`)),
  );
}

/**
 * The next visit usually succeeds. The operator does not know the other writer: the managed fields, which its caches do
 * not keep, name it.
 */
export function conflictStep(error: KubernetesError): Keep {
  const advice = error.about ? `; to find the writer: ${commandForWriter(error.about)}` : '';
  const message = ` again and again; the operator retries${advice}`;
  return keep(wait('InternalError', describeError('Kubernetes could not', error, message)));
}

function commandForWriter({ plural, namespace, name }: Requested): string {
  const place = namespace === undefined ? '' : ` -n ${namespace}`;
  return `kubectl get ${plural} ${name}${place} --show-managed-fields -o yaml`;
}

/** A refusal names webhook, object and policies, each of any length, and then the cause. Conditions and events have room for it. */
const longestRefusal = 500;

/** The words of Kubernetes, as the begin of a message: the message is about them. */
export function quoteOf(words: string): string {
  return `"${shortened(onOneLine(words), longestRefusal)}": `;
}

function describeError(
  verb: string,
  { operation, status, kind, statusMessage }: KubernetesError,
  advice: string,
): string {
  const trouble = `${verb} ${operation} (${status === undefined ? kind : `HTTP ${status}`})`;
  return `${statusMessage === undefined ? '' : quoteOf(statusMessage)}${trouble}${advice}`;
}
