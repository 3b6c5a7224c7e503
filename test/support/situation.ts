import type { Attempt, ResourceRecord } from '../../src/resources/ledger-entry.ts';
import { CloudError, type CloudErrorKind } from '../../src/cloud/cloud-error.ts';
import { serviceId, type Service } from '../../src/cloud/wire/service.ts';
import type { CredentialsSecret } from '../../src/reconcile/credentials/key-state.ts';
import type { ObservedAttempt, Verdict } from '../../src/reconcile/ledger/attempt.ts';
import type { Missing } from '../../src/reconcile/decide/rule.ts';
import type {
  ObservedResource,
  ListFacts,
  ObservedDeletion,
  Situation,
  Claimant,
} from '../../src/reconcile/situation/situation.ts';
import { serviceSituationOf } from '../../src/reconcile/kinds/service/situation-of.ts';
import type { ServiceSituation } from '../../src/reconcile/kinds/service/situation.ts';
import { managedServices } from '../../src/resources/managed-service.ts';
import { resourceKey } from '../../src/runtime/index.ts';
import { current, unread, wantedSecret } from './our-secret.ts';
import { defaultOptions } from './default-options.ts';
import { emptyEntry, ledgerEntry } from './ledger-entry.ts';
import { usableKey } from './usable-account.ts';

/** Policy time of the default situation. */
export const noon = Date.parse('2026-11-21T12:00:00.000Z');
/** The creation time of its resource. */
export const morning = '2026-11-21T09:00:00.000Z';

interface MoreOfObject {
  readonly status?: object | undefined;
  readonly metadata?: object | undefined;
}

/** The object of a service, `shop/orders`. */
export function serviceObject(
  annotations: Readonly<Record<string, string>> = {},
  spec: object = {},
  more: MoreOfObject = {},
) {
  const metadata = {
    name: 'orders',
    namespace: 'shop',
    uid: 'uid',
    resourceVersion: '1',
    generation: 1,
    annotations,
    ...more.metadata,
  };
  return managedServices.parse({ metadata, spec, status: more.status });
}

/** A situation of an unknown service: a row lists only the facts that matter to it. */
export function situation(given: Partial<Situation> = {}): Situation {
  return {
    noun: 'service',
    object: serviceObject(),
    now: 0,
    wallTime: 0,
    rules: undefined,
    options: defaultOptions,
    record: {},
    hasFinalizer: true,
    hasPointer: true,
    leftEntries: [],
    claim: { state: 'ours' },
    account: { state: 'notAsked' },
    pinnedProject: undefined,
    attempt: undefined,
    cloud: { state: 'none' },
    state: undefined,
    isAtRest: false,
    environment: undefined,
    list: undefined,
    progressList: undefined,
    pendingChanges: [],
    sameNames: { state: 'read', ids: [], unclaimed: [] },
    adoption: { state: 'notAsked' },
    deletion: { requested: false, started: false, crdTerminating: false, dependents: [] },
    lastOperation: undefined,
    createFailedAt: undefined,
    refusals: new Map(),
    learned: { firstSeen: new Map() },
    ...given,
  };
}

/** A list that was read, and shows something. */
export function listFacts(given: Partial<ListFacts> = {}): ListFacts {
  return {
    begunAt: undefined,
    isEmpty: false,
    isDenied: false,
    failure: undefined,
    failingSince: undefined,
    ...given,
  };
}

/** The situation of a missing resource, for rules of that phase. */
export function missing(given: Partial<Situation> = {}): Missing {
  const key = usableKey();
  return { ...situation(given), phase: 'missing', key, id: given.record?.id };
}

/** The parts of an object that differ from a ready object. */
export interface GivenObject {
  readonly annotations?: Readonly<Record<string, string>>;
  readonly spec?: object;
  readonly status?: object;
  readonly metadata?: object;
  readonly deletion?: Partial<ObservedDeletion>;
  /** Parts of the record that differ; undefined removes a part. */
  readonly record?: Partial<ResourceRecord>;
}

export type GivenService = GivenObject &
  Partial<Omit<Parameters<typeof serviceSituationOf>[0], keyof GivenObject>> & {
    /** Parts of the service in the cloud that differ. */
    readonly seen?: Partial<Service>;
  };

/** The situation of a READY service that is exactly as its spec wants: no work is left. */
export function serviceSituation(row: GivenService = {}): ServiceSituation {
  const { annotations, spec, status, metadata, deletion, record, seen, ...given } = row;
  const plain = situation();
  const object = serviceObject(annotations, spec, {
    status: { observedGeneration: 1, id: 'svc-1', projectId: 'prj-1', ...status },
    metadata,
  });
  return serviceSituationOf({
    ...plain,
    now: noon,
    wallTime: noon,
    account: usableKey(),
    pinnedProject: 'prj-1',
    object,
    record: { ...recordOf('svc-1'), ...record },
    cloud: present(seen),
    deletion: { ...plain.deletion, ...deletion },
    vpc: { state: 'none' },
    forkSource: { state: 'none' },
    secret: current(),
    password: { state: 'asItIs' },
    passwordUnansweredAt: undefined,
    neverSent: undefined,
    entry: ledgerEntry(),
    wantedSecret,
    ...given,
  });
}

const nothing = {
  id: undefined,
  outcome: undefined,
  projectId: undefined,
  claimedAt: undefined,
} satisfies Partial<ResourceRecord>;

/** Nothing was created for the object yet. */
export const notCreated = {
  record: nothing,
  status: { id: undefined, projectId: undefined },
  pinnedProject: undefined,
  cloud: { state: 'none' },
  secret: unread,
  entry: undefined,
} satisfies GivenService;

/** A create is open: its answer is unknown. */
export function opened(attempt: ObservedAttempt, record: Partial<ResourceRecord> = {}) {
  const journal = { attempt: attempt.attempt, projectId: 'prj-1' };
  return {
    ...notCreated,
    entry: emptyEntry,
    attempt,
    pinnedProject: 'prj-1',
    record: { ...nothing, ...journal, ...record },
  } satisfies GivenService;
}

/** The record of an object that created the resource of this id. */
export function recordOf(id: string, more: Partial<ResourceRecord> = {}): ResourceRecord {
  return {
    id,
    outcome: 'created',
    projectId: 'prj-1',
    claimedAt: morning,
    ...more,
  };
}

/** The Secret of a key in use. */
export function keySecret(given: Partial<CredentialsSecret> = {}): CredentialsSecret {
  return { namespace: 'shop', name: 'cloud-key', held: true, terminating: false, ...given };
}

/** An attempt with a name that the user chose. */
export const chosenAttempt: Attempt = {
  id: 'abcdefgh',
  at: morning,
  request: { name: 'orders' },
  sameNameIds: [],
};
/** An attempt with a generated name, which is unique. */
export const ownAttempt: Attempt = { ...chosenAttempt, request: { name: 'orders-abcdef' } };

/** The judgement of lists about an open create. */
export function judged(verdict: Verdict, attempt: Attempt = chosenAttempt): ObservedAttempt {
  return { state: 'judged', attempt, verdict };
}

/** A service in the cloud with 1000m/4GB at `db.example.com:5432`. */
export function cloudService(given: Partial<Service> = {}): Service {
  return {
    service_id: serviceId.parse('svc-1'),
    name: 'orders-abcdef',
    created: morning,
    status: 'READY',
    endpoint: { host: 'db.example.com', port: 5432 },
    resources: [{ spec: { cpu_millis: 1000, memory_gbs: 4 } }],
    ...given,
  };
}

/** The observation of an existing service, made just now. */
export function present(
  given: Partial<Service> = {},
): Extract<ObservedResource<Service>, { state: 'present' }> {
  return { state: 'present', resource: cloudService(given), asOf: noon };
}

/** The object is being deleted. */
export function deleting(given: Partial<ObservedDeletion> = {}): ObservedDeletion {
  return { requested: true, started: false, crdTerminating: false, dependents: [], ...given };
}

/** The first object in a namespace, which owns a disputed resource. */
export function firstOf(namespace: string): Claimant {
  return {
    kind: 'ManagedService',
    key: resourceKey(namespace, 'first'),
    uid: 'first',
    parentId: undefined,
  };
}

/** A failed read of the cloud, by default with status 500. */
export function cloudError(
  kind: CloudErrorKind = 'server',
  details: { readonly status?: number; readonly retryAfterMs?: number } = {},
) {
  const status = kind === 'server' ? { status: 500 } : {};
  return new CloudError({
    operation: 'listServices',
    kind,
    sent: true,
    fromApi: true,
    ...status,
    ...details,
  });
}
