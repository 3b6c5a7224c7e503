import { routes } from '../../../src/simulator/api-server.ts';
import type { FaultInput } from '../../../src/simulator/faults.ts';
import type { Random } from './random.ts';

const operations = [...routes.map(({ operation }) => operation), 'getCredentialsInfo'];
const creates = [
  'createVpc',
  'createService',
  'createReplicaSet',
  'createPeering',
  'forkService',
] as const;

/** The operations whose omission the cloud shows: it does not show whether a password was set. */
const ignorable = operations.filter((operation) => !/^(?:get|list|update)/u.test(operation));

/**
 * A fault of the cloud that repeats a few times. A plausible cloud never answers 4xx to a request that it has
 * carried out: no client could detect that.
 */
export function randomFault(random: Random): FaultInput {
  const [first = 'listServices', ...others] = operations;
  const operation = random.weighted([
    [2, () => random.pick(creates)],
    [3, () => random.pick([first, ...others])],
    [1, () => '*'],
  ])();
  const where = { operation, times: random.between(1, 4) };
  const isIgnored = ignorable.includes(operation);
  const isList = operation.startsWith('list');
  const fault = random.weighted<() => FaultInput>([
    [
      3,
      () => ({
        kind: 'errorBefore',
        ...where,
        status: random.pick([400, 401, 403, 404, 409, 422, 500, 503]),
      }),
    ],
    [3, () => ({ kind: 'errorAfter', ...where, status: random.pick([500, 502, 504]) })],
    [2, () => ({ kind: 'dropBefore', ...where })],
    [4, () => ({ kind: 'replyLost', ...where })],
    // Real time, while policy runs many times as fast: more would be longer than any request lives.
    [1, () => ({ kind: 'delay', ...where, delayMs: random.between(50, 400) })],
    [2, () => ({ kind: 'delayReply', ...where, delayMs: random.between(50, 600) })],
    [1, () => ({ kind: 'rateLimit', ...where, retryAfterSeconds: random.pick([1, 5, 20, 300]) })],
    [isIgnored ? 3 : 0, () => ({ kind: 'ignored', ...where })],
    [isList ? 4 : 0, () => ({ kind: 'staleList', ...where, ageMs: random.between(1_000, 30_000) })],
    [isList ? 4 : 0, () => ({ kind: 'truncatedList', ...where, drop: random.between(1, 3) })],
    [
      2,
      () => ({
        kind: 'malformed',
        ...where,
        as: random.pick(['html', 'notJson', 'wrongType', 'unknownField', 'empty', 'redirect']),
      }),
    ],
  ])();
  return fault;
}
