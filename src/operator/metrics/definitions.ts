import { type CloudErrorKind, cloudErrorKinds } from '../../cloud/cloud-error.ts';
import { operations as rows } from '../../cloud/wire/all.ts';
import { reasons } from '../../resources/condition.ts';
import { kinds } from '../../resources/managed-object.ts';
import {
  counter,
  type Definition,
  gauge,
  histogram,
  httpStatus,
  noReply,
  oneOf,
} from './definition.ts';
import { entryStates, environments } from './object-figures.ts';

export const queueNames = [...kinds, 'credentials'];

/** Of a call to the cloud, as alerts count them. */
const failures: readonly { readonly outcome: CloudErrorKind; readonly code: string }[] = [
  { outcome: 'unauthorized', code: '401' },
  { outcome: 'rateLimited', code: '429' },
  ...['500', '502', '503', '504'].map((code) => ({ outcome: 'server' as const, code })),
  { outcome: 'network', code: noReply },
  { outcome: 'timeout', code: noReply },
  { outcome: 'unreadable', code: '200' },
];
/** Of a request to the API server. */
const refusedOrFailed = ['401', '403', '500', '501', '502', '503', '504', noReply];

const operations = Object.keys(rows);
const lists = Object.entries(rows).flatMap(([name, { success }]) => (success.isList ? [name] : []));
const methods = ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'];
const priorities = ['edit', 'resync', 'read'];
const results = ['done', 'error'];
const eachKind = kinds.map((name) => ({ kind: name }));
const eachQueue = queueNames.map((name) => ({ name, controller: name }));

const kind = oneOf(kinds);
const reason = oneOf(Object.values(reasons).flat(), 'a [reason](../reasons.md)');
const environment = oneOf(
  environments,
  '`DEV`, `PROD`; absent for an object without an environment',
);
const operation = oneOf(
  operations,
  '[an operation of the cloud](../operations.md#what-calls-the-cloud)',
);
const list = oneOf(lists);
const method = oneOf(methods);
const host = { setting: 'host and port of the API server' };
// controller-runtime has both labels, with the same value.
const queue = { name: oneOf(queueNames), controller: oneOf(queueNames, 'as `name`') };

/** From a hundredth of a second to the time-out of a call. */
const callSeconds = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40];
/** The buckets of client-go, so that existing dashboards fit. */
const requestSeconds = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60];
/** The buckets of controller-runtime. */
const queueSeconds = Array.from({ length: 12 }, (_, index) => Number(`1e${index - 8}`));
/** From a second to two hours. */
const syncSeconds = [1, 5, 15, 60, 180, 600, 1_800, 3_600, 7_200];
const visitSeconds = [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10, 30];

/** The metrics of /metrics, in the order of the reference page. */
export const definitions = {
  buildInfo: gauge(
    'managed_db_operator_build_info',
    'Always 1; the labels are the running versions.',
    {
      version: { setting: 'the version of the operator' },
      revision: { setting: 'the commit that it was built from' },
      node: { setting: 'the version of Node' },
    },
  ),
  memoryLimit: gauge(
    'managed_db_operator_memory_limit_bytes',
    'Memory limit of the container, otherwise the memory of the machine.',
    {},
  ),
  leader: gauge(
    'leader_election_master_status',
    '1 while this process holds the Lease and works, otherwise 0.',
    {
      name: { setting: 'the name of the Lease' },
    },
  ),
  missingLists: gauge(
    'managed_db_operator_missing_lists',
    'Lists of objects that the API server has refused for more than 10 s. The log names them.',
    {},
  ),

  objects: gauge(
    'managed_db_objects',
    'Objects by the status of Ready, the reason of Synced, and the environment.',
    {
      kind,
      ready: oneOf(['True', 'False', 'Unknown']),
      reason,
      environment,
    },
  ),
  watched: gauge(
    'managed_db_watched_objects',
    'Objects in the cache of a working process, including those of [other shards](../sharding.md). If this exceeds the sum of `managed_db_objects`, some objects have no working process.',
    { kind },
  ),
  lost: gauge(
    'managed_db_lost_objects',
    'Objects whose resource is gone from the cloud without a deletion by the operator.',
    { kind, environment },
  ),
  stalled: gauge(
    'managed_db_stalled_objects',
    'Objects that need a person: their condition Stalled is True.',
    { kind, environment },
  ),
  oldestUnsynced: gauge(
    'managed_db_oldest_unsynced_age_seconds',
    'Longest time without progress of an object of this kind and reason whose spec is not applied. Progress is a new state in the cloud, an accepted change, or a deletion that begins.',
    { kind, reason, environment },
  ),
  oldestHeldChange: gauge(
    'managed_db_oldest_held_change_age_seconds',
    'Longest time for which a change has waited for a window or for an approval. Absent without such a change; the changes of a stopped service do not count.',
    { kind, reason: oneOf(reasons.held), environment },
  ),
  syncDuration: histogram(
    'managed_db_sync_duration_seconds',
    'Time from a change of the spec until it was applied, without the time for which the change was held; for a new object, from apply to Ready.',
    { kind },
    { buckets: syncSeconds },
  ),
  openCreates: gauge('managed_db_open_creates', 'Creates without a recorded answer.', {
    kind,
    environment,
  }),
  oldestOpenCreate: gauge(
    'managed_db_oldest_open_create_age_seconds',
    'Age of the oldest open create; 0 without an open create.',
    { kind, environment },
  ),
  ledgerEntries: gauge(
    'managed_db_ledger_entries',
    'Entries of the [ledger](../safety.md): `bound` to an object, `left` by a gone object, or `unreadable`. Each working process counts all entries of its cluster.',
    { kind, state: oneOf(entryStates) },
  ),
  abandoned: counter(
    'managed_db_abandoned_total',
    'Objects that were removed without the operator: their resources may still exist and cost money.',
    { kind },
    eachKind,
  ),

  cloudCalls: counter(
    'managed_db_cloud_calls_total',
    'Calls to the cloud, each counted when it ends.',
    { operation, outcome: oneOf(['ok', ...cloudErrorKinds]), code: httpStatus },
    operations.flatMap((name) => failures.map((failure) => ({ operation: name, ...failure }))),
  ),
  cloudCallDuration: histogram(
    'managed_db_cloud_call_duration_seconds',
    'Duration of a call to the cloud with any result, without its wait for the rate limit.',
    { operation },
    { buckets: callSeconds },
  ),
  throttled: counter(
    'managed_db_cloud_throttle_seconds_total',
    'Seconds that calls have waited for the rate limit of an API key.',
    { priority: oneOf(priorities) },
    priorities.map((priority) => ({ priority })),
  ),
  snapshotAge: gauge(
    'managed_db_cloud_snapshot_age_seconds',
    'Age of the oldest followed list of a kind: the time since its last valid answer.',
    { list },
  ),

  visits: histogram(
    'managed_db_reconcile_duration_seconds',
    'Duration of a reconcile of an object, with its waits for the cloud. `error`: the reconcile failed.',
    { kind, result: oneOf(results) },
    {
      buckets: visitSeconds,
      fromZero: results.flatMap((result) => eachKind.map((each) => ({ ...each, result }))),
    },
  ),
  depth: gauge(
    'workqueue_depth',
    'Keys that wait for a worker, or for the end of a reconcile.',
    queue,
  ),
  adds: counter('workqueue_adds_total', 'Keys that were added to the queue.', queue, eachQueue),
  queueDuration: histogram(
    'workqueue_queue_duration_seconds',
    'Time that a key waited for a worker.',
    queue,
    { buckets: queueSeconds },
  ),
  workDuration: histogram(
    'workqueue_work_duration_seconds',
    'Time from the start to the end of the work on a key.',
    queue,
    { buckets: queueSeconds },
  ),
  retries: counter(
    'workqueue_retries_total',
    'Keys that are retried after a failed reconcile.',
    queue,
    eachQueue,
  ),
  unfinished: gauge(
    'workqueue_unfinished_work_seconds',
    'Sum of the seconds since the start of each running reconcile.',
    queue,
  ),
  longest: gauge(
    'workqueue_longest_running_processor_seconds',
    'Seconds since the start of the oldest running reconcile.',
    queue,
  ),

  requests: counter(
    'rest_client_requests_total',
    'Requests to the API server; a watch counts when it is answered.',
    { code: httpStatus, method, host },
    methods.flatMap((name) => refusedOrFailed.map((code) => ({ code, method: name }))),
  ),
  requestDuration: histogram(
    'rest_client_request_duration_seconds',
    'Duration of a request to the API server with any result; without watches.',
    { verb: method, host },
    { buckets: requestSeconds },
  ),
} as const satisfies Readonly<Record<string, Definition>>;

const ofObject = {
  namespace: { setting: 'namespace of the object' },
  name: { setting: 'name of the object' },
  environment,
};

/** All metrics of /metrics/usage, which is opt-in: each object has series of its own. */
export const usageDefinitions = {
  cpu: gauge(
    'managed_db_service_cpu_usage_cores',
    'CPU that the database of a ManagedService uses.',
    ofObject,
  ),
  memory: gauge(
    'managed_db_service_memory_usage_bytes',
    'Memory that the database uses.',
    ofObject,
  ),
  storage: gauge(
    'managed_db_service_storage_usage_bytes',
    'Storage that the database uses.',
    ofObject,
  ),
  ratio: gauge(
    'managed_db_service_usage_ratio',
    'Used part of the size of the database, from 0 to 1. Absent for a shared size.',
    {
      ...ofObject,
      resource: oneOf(['cpu', 'memory']),
    },
  ),
} as const satisfies Readonly<Record<string, Definition>>;
