import * as z from 'zod';
import type { EntryContent, LedgerEntryWithData } from '../../src/resources/ledger-entry.ts';
import { cloudResourceFinalizer } from '../../src/resources/annotations.ts';
import { kinds, type ManagedObject } from '../../src/resources/managed-object.ts';
import { peeringKey } from '../../src/reconcile/ledger/record.ts';
import type { Project } from '../../src/simulator/project.ts';
import type { MemoryApiServer } from './api-server/api-server.ts';
import type { CloudChange } from './network.ts';
import type { Simulation } from './scheduler.ts';
import { isLiving, ledgerNamespace, objectOf, storedEntries, storedObjects } from './stored.ts';

export interface InvariantParts {
  readonly apiServer: MemoryApiServer;
  readonly project: Project;
  readonly simulation: Simulation;
  /**
   * Since when operators act without a pause and see each change; undefined: none acts. It may lie in the future.
   */
  readonly servedSince: () => number | undefined;
  /** When processes died or froze. */
  readonly losses: readonly number[];
  /** Takes a sentence about each broken promise, once. */
  readonly problems: string[];
}

/** The promises of docs/safety.md that a single change can break. */
export interface Invariants {
  cloudChange(change: CloudChange): void;
  /**
   * @param path of a write that the API server carried out
   * @param isOperators false: a person or a controller of Kubernetes wrote
   */
  kubernetesChange(path: string, isOperators: boolean): void;
}

/**
 * An operator reports each edit within this time, also if a process dies or freezes meanwhile. A second loss may take as long
 * again. The time begins when no fault hides the edit: see `blindUntil` of a network.
 */
export const reportWithinMs = 30_000;

/** A loss so long before the edit still takes time from its report. */
const takeOverMs = 20_000;

/** No fault keeps the cloud silent for longer: the longest pause of a key is ten minutes. */
const longestSilenceMs = 900_000;

/** A DELETE may be in flight for so long after the operator looked at the object. */
const flightMs = 12_000;

const named = z.object({ name: z.string() });
const peeringBody = z.object({
  peer_account_id: z.string(),
  peer_region_code: z.string(),
  peer_vpc_id: z.string(),
});
/** The ids of services are `service_id`. */
const created = z.object({ id: z.string().optional(), service_id: z.string().optional() });
/** The last part of the path of a create. */
const creates = new Set(['vpcs', 'services', 'replicaSets', 'forkService']);
const kindOf = new Map([
  ['vpcs', 'ManagedVpc'],
  ['services', 'ManagedService'],
  ['replicaSets', 'ReplicaSet'],
]);
const storeOf = {
  ManagedVpc: 'vpc',
  ManagedService: 'service',
  ReplicaSet: 'replicaSet',
} as const;

export function invariants(parts: InvariantParts): Invariants {
  const { apiServer, project, simulation, servedSince, losses, problems } = parts;
  /** The services whose working password the ledger had at the last look. */
  let known = new Set<string>();
  /** The entries and objects at the last look, by uid of the object. */
  let entriesBefore = new Map<string, EntryContent>();
  let objectsBefore = new Map<string, ManagedObject>();
  /** When the spec of the object with a uid began to forbid its deletion. */
  const forbiddenSince = new Map<string, number>();
  /** The ids that were created for the object with a uid. */
  const createdFor = new Map<string, Set<string>>();
  const say = (problem: string) => {
    if (!problems.includes(problem)) problems.push(problem);
  };
  const isThere = (id: string) =>
    project.everCreated.some((each) => each.id === id && isLiving(each, simulation.now));
  const isStored = (password: string) =>
    storedEntries(apiServer).some(({ data }) => Object.values(data).includes(password));

  const checkCreated = (name: string, id: string) => {
    const attempts = storedEntries(apiServer).filter(
      ({ content }) => content?.attempt?.request['name'] === name,
    );
    if (attempts.length === 0) say(`${name} was created, and no entry has an attempt for it`);
    for (const { content } of attempts) {
      if (!content) continue;
      const { uid, name: object } = content.object;
      const ids = (createdFor.get(uid) ?? new Set<string>()).add(id);
      createdFor.set(uid, ids);
      const all = new Set(content.id === undefined ? ids : [...ids, content.id]);
      const living = [...all].filter(isThere);
      if (living.length > 1) say(`${object} exists ${living.length} times in the cloud`);
    }
  };
  const checkPeering = (vpcId: string, body: z.infer<typeof peeringBody>) => {
    const { peer_account_id: account, peer_region_code: region, peer_vpc_id: vpc } = body;
    const address = { peerAccountId: account, peerRegionCode: region, peerVpcId: vpc };
    const key = peeringKey(address);
    const entries = storedEntries(apiServer).filter(({ content }) => content?.id === vpcId);
    if (!entries.some(({ content }) => content?.peerings?.[key]))
      say(`the peering ${key} was created, and no entry has the request`);
    const same = [...project.stores.peering.values()].filter(({ parentId, timeline }) => {
      const peering = timeline.at(simulation.now);
      return parentId === vpcId && peering?.peer_account_id === account;
    });
    const alike = same.filter(({ timeline }) => timeline.at(simulation.now)?.peer_vpc_id === vpc);
    if (alike.length > 1) say(`the peering ${key} exists ${alike.length} times`);
  };
  const checkDeleted = (plural: string, id: string, vpcId: string) => {
    const entries = storedEntries(apiServer);
    if (plural === 'peerings') {
      const isOurs = entries.some(
        ({ content }) =>
          content?.id === vpcId &&
          Object.values(content.peerings ?? {}).some((each) => 'id' in each && each.id === id),
      );
      if (!isOurs) say(`the peering ${id} was deleted, and no entry has its id`);
      return;
    }
    const kind = kindOf.get(plural);
    const about = entries.filter(
      ({ content }) => content?.id === id && content.object.kind === kind,
    );
    if (about.length === 0) say(`${kind} ${id} was deleted, and no entry has it`);
    if (!about.some(({ content }) => content?.deletionStarted?.id === id))
      say(`${kind} ${id} was deleted without a decision in its entry`);
    for (const entry of about) {
      const object = objectOf(apiServer, entry);
      const since = forbiddenSince.get(object?.metadata.uid ?? '') ?? simulation.now;
      if (object && forbidsDeletion(object) && simulation.now - since > flightMs)
        say(`${kind} ${id} was deleted, and its object ${object.metadata.name} forbids that`);
    }
  };
  const checkPassword = (id: string) => {
    const password = project.stores.service.get(id)?.password;
    if (password !== undefined && !isStored(password))
      say(`the password of ${id} was set, and the ledger does not have it`);
  };

  const checkLedger = (isOperators: boolean) => {
    const entries = storedEntries(apiServer);
    const passwords = new Set(entries.flatMap(({ data }) => Object.values(data)));
    const before = known;
    known = new Set();
    for (const [id, { password, timeline }] of project.stores.service) {
      if (timeline.at(simulation.now) === undefined) continue;
      if (passwords.has(password)) known.add(id);
      else if (before.has(id) && isOperators) say(`the working password of ${id} left the ledger`);
    }
    const contents = entries.flatMap(({ content }) => (content ? [content] : []));
    const ids = new Set(contents.map(({ id }) => id));
    const now = new Map(contents.map((content) => [content.object.uid, content]));
    for (const [uid, { id, object, outcome, hasPassword }] of entriesBefore) {
      // An adoption without a password may end before it has begun to act.
      const isBound = outcome === 'created' || hasPassword;
      if (
        isBound &&
        !now.has(uid) &&
        isOperators &&
        id !== undefined &&
        isThere(id) &&
        !ids.has(id)
      )
        say(`the entry of ${object.name} left the ledger, and the cloud has ${id}`);
    }
    entriesBefore = now;
    for (const entry of entries) checkSettledPassword(entry);
  };
  /** Without another password in flight, the password of an entry is the password of the service. */
  const checkSettledPassword = ({ content, data }: LedgerEntryWithData) => {
    const { password, ...others } = data;
    if (content?.id === undefined || password === undefined || Object.keys(others).length > 0)
      return;
    if (content.unansweredAt !== undefined || !isThere(content.id)) return;
    const works = project.stores.service.get(content.id)?.password;
    if (works !== undefined && works !== password)
      say(`the ledger has a single password of ${content.id}, and it does not work`);
  };

  const checkObjects = (isOperators: boolean) => {
    const now = new Map<string, ManagedObject>();
    for (const kind of kinds)
      for (const object of storedObjects(apiServer, kind)) now.set(object.metadata.uid, object);
    for (const [uid, object] of objectsBefore) if (!now.has(uid)) checkGone(object, isOperators);
    for (const [uid, object] of now)
      if (objectsBefore.get(uid)?.metadata.generation !== object.metadata.generation)
        expectReport(object);
    for (const [uid, object] of now)
      if (!forbidsDeletion(object)) forbiddenSince.delete(uid);
      else if (!forbiddenSince.has(uid)) {
        // An object that never allowed its deletion has no DELETE in flight.
        const allowed = objectsBefore.get(uid);
        forbiddenSince.set(uid, allowed ? simulation.now : Number.NEGATIVE_INFINITY);
      }
    objectsBefore = now;
  };
  /** An object with a resource ends after its resource, or leaves an entry with the id. */
  const checkGone = ({ kind, metadata, spec, status }: ManagedObject, isOperators: boolean) => {
    const entries = storedEntries(apiServer);
    const own = entries.find(({ content }) => content?.object.uid === metadata.uid)?.content;
    const id = own?.id ?? status?.id;
    if (id === undefined || !isStanding(storeOf[kind], id)) return;
    if (!entries.some(({ content }) => content?.id === id))
      say(`${kind} ${metadata.name} is gone, the cloud has ${id}, and no entry has the id`);
    const isKept = spec.deletionPolicy === 'Retain' || spec.managementPolicy === 'Observe';
    const isForeign = foreign.has(reasonOf(status, 'Ready') ?? '');
    const wasHeld = metadata.finalizers?.includes(cloudResourceFinalizer) ?? false;
    const isShared = entries.filter(({ content }) => content?.id === id).length > 1;
    // A person may remove the finalizer. The person's write is the end of the object.
    if (wasHeld && !isKept && !isForeign && !isShared && own?.isShared !== true && isOperators)
      say(`${kind} ${metadata.name} is gone, and the cloud has ${id}`);
  };
  const isStanding = (store: 'vpc' | 'service' | 'replicaSet', id: string) =>
    project.stores[store].get(id)?.timeline.at(simulation.now) !== undefined;
  /** @param silentUntil when a report of a silent cloud is no excuse any more. Undefined: no look has seen such a report */
  const expectReport = (object: ManagedObject, silentUntil?: number) =>
    void simulation.after(reportWithinMs, undefined, `report of ${object.metadata.name}`, () => {
      const since = servedSince() ?? Number.POSITIVE_INFINITY;
      const from = simulation.now - reportWithinMs;
      const hasMoreTime = since > from || losses.filter((at) => at > from - takeOverMs).length > 1;
      if (hasMoreTime) expectReport(object, silentUntil);
      else checkReport(object, silentUntil);
    });
  const checkReport = (
    expected: ManagedObject,
    silentUntil = simulation.now + longestSilenceMs,
  ) => {
    const { kind, metadata } = expected;
    const { namespace, name, uid, generation } = metadata;
    const object = storedObjects(apiServer, kind, namespace).find(
      (each) => each.metadata.uid === uid,
    );
    const seen = object?.status?.observedGeneration ?? 0;
    if (!object || seen >= (generation ?? 0)) return;
    // While the cloud is silent, the object reports that alone: see reasons.md, WaitingForCloud.
    const isSilent = reasonOf(object.status, 'Synced') === 'WaitingForCloud';
    if (isSilent && simulation.now < silentUntil) expectReport(expected, silentUntil);
    else say(`${kind} ${name} does not report generation ${generation} after ${reportWithinMs} ms`);
  };

  return {
    cloudChange({ method, path, body, status, reply }) {
      if (status >= 300) return;
      // projects/{id}/kind/{id}/kind/{id} or verb
      const [, , projectId, ...below] = path.split('/');
      if (projectId !== project.id) return say(`${method} ${path} is in a foreign project`);
      const last = below.at(-1) ?? '';
      if (method === 'DELETE') return checkDeleted(below.at(-2) ?? '', last, below[1] ?? '');
      if (last === 'updatePassword') return checkPassword(below[1] ?? '');
      if (method !== 'POST') return;
      const sent: unknown = JSON.parse(body ?? '{}');
      if (last === 'peerings') return checkPeering(below[1] ?? '', peeringBody.parse(sent));
      if (!creates.has(last)) return;
      const { name } = named.parse(sent);
      const { data = {} } = created.safeParse(reply);
      // A gateway may have replaced the reply.
      const { id = project.everCreated.findLast((each) => each.name === name)?.id } = data;
      const made = data.service_id ?? id;
      if (made !== undefined) checkCreated(name, made);
    },
    kubernetesChange(path, isOperators) {
      if (path.startsWith(`/api/v1/namespaces/${ledgerNamespace}/secrets`))
        checkLedger(isOperators);
      else if (path.startsWith('/apis/managed-db.io/') || !isOperators) checkObjects(isOperators);
    },
  };
}

/** The object reports that it does not own its resource. */
const foreign: ReadonlySet<string> = new Set([
  'NotBound',
  'OwnedElsewhere',
  'OwnedByAnother',
  'ForeignProject',
]);

function reasonOf(
  status: ManagedObject['status'],
  condition: 'Ready' | 'Synced',
): string | undefined {
  return status?.conditions?.find(({ type }) => type === condition)?.reason;
}

function forbidsDeletion({ metadata, spec }: ManagedObject): boolean {
  return (
    metadata.deletionTimestamp === undefined ||
    spec.deletionPolicy === 'Retain' ||
    spec.managementPolicy === 'Observe' ||
    spec.suspend === true
  );
}
