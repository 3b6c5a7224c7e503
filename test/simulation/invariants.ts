import * as z from 'zod';
import type { ManagedObject } from '../../src/resources/managed-object.ts';
import type { Project } from '../../src/simulator/project.ts';
import type { Created } from '../../src/simulator/store.ts';
import type { MemoryApiServer } from './api-server/api-server.ts';
import type { CloudChange } from './network.ts';
import { ledgerNamespace, objectOf, storedEntries } from './stored.ts';

export interface InvariantParts {
  readonly apiServer: MemoryApiServer;
  readonly project: Project;
  readonly now: () => number;
  /** Takes a sentence about each broken promise, once. */
  readonly problems: string[];
}

/** The promises of docs/safety.md that a single change can break. */
export interface Invariants {
  cloudChange(change: CloudChange): void;
  /** @param path of a write that the API server carried out */
  kubernetesChange(path: string): void;
}

const named = z.object({ name: z.string() });
/** The last part of the path of a create. */
const creates = new Set(['vpcs', 'services', 'replicaSets', 'forkService']);
const kindOf = new Map([
  ['vpcs', 'ManagedVpc'],
  ['services', 'ManagedService'],
  ['replicaSets', 'ReplicaSet'],
]);

export function invariants({ apiServer, project, now, problems }: InvariantParts): Invariants {
  /** The services whose working password the ledger had at the last look. */
  let known = new Set<string>();
  const say = (problem: string) => {
    if (!problems.includes(problem)) problems.push(problem);
  };
  const services = () =>
    [...project.stores.service].filter(([, { timeline }]) => timeline.at(now()) !== undefined);
  const isInLedger = (password: string) =>
    storedEntries(apiServer).some(({ data }) => Object.values(data).includes(password));

  const created = (name: string) => {
    const attempts = storedEntries(apiServer).filter(
      ({ content }) => content?.attempt?.request['name'] === name,
    );
    if (attempts.length === 0) say(`${name} was created, and no entry has an attempt for it`);
    for (const { content } of attempts) {
      const object = content?.object.name ?? '';
      const living = project.everCreated.filter(
        (each) => objectIn(each.name) === object && isLiving(each, now()),
      );
      if (living.length > 1) say(`${object} exists ${living.length} times in the cloud`);
    }
  };
  const deleted = (plural: string, id: string) => {
    const kind = kindOf.get(plural);
    if (kind === undefined) return;
    const entries = storedEntries(apiServer).filter(
      ({ content }) => content?.id === id && content.object.kind === kind,
    );
    if (entries.length === 0) say(`${kind} ${id} was deleted, and no entry has it`);
    for (const entry of entries) {
      if (entry.content?.deletionStarted?.id !== id)
        say(`${kind} ${id} was deleted without a decision in its entry`);
      const object = objectOf(apiServer, entry);
      if (object && forbidsDeletion(object))
        say(`${kind} ${id} was deleted, and its object ${object.metadata.name} forbids that`);
    }
  };
  const passwordSet = (id: string) => {
    const password = project.stores.service.get(id)?.password;
    if (password !== undefined && !isInLedger(password))
      say(`the password of ${id} was set, and the ledger does not have it`);
  };

  return {
    cloudChange({ method, path, body, status }) {
      if (status >= 300) return;
      // projects/{id}/kind/{id}/kind/{id} or verb
      const parts = path.split('/').slice(3);
      const last = parts.at(-1) ?? '';
      if (method === 'DELETE') return deleted(parts.at(-2) ?? '', last);
      if (method !== 'POST' && last !== 'updatePassword') return;
      if (creates.has(last)) created(named.parse(JSON.parse(body ?? '')).name);
      if (last === 'updatePassword') passwordSet(parts[1] ?? '');
    },
    kubernetesChange(path) {
      if (!path.startsWith(`/api/v1/namespaces/${ledgerNamespace}/secrets`)) return;
      const before = known;
      known = new Set(
        services().flatMap(([id, { password }]) => (isInLedger(password) ? [id] : [])),
      );
      for (const [id] of services())
        if (before.has(id) && !known.has(id)) say(`the working password of ${id} left the ledger`);
    },
  };
}

/** The name of the object in the generated name of its resource. Objects of a story have different names. */
function objectIn(name: string | undefined): string | undefined {
  return name?.replace(/-[a-z0-9]{6}$/u, '');
}

function isLiving({ deletedAt }: Pick<Created, 'deletedAt'>, now: number): boolean {
  return deletedAt === undefined || Date.parse(deletedAt) > now;
}

/** An object may forbid the deletion while the DELETE is in flight; the stories do not do that yet. */
function forbidsDeletion({ metadata, spec }: ManagedObject): boolean {
  return (
    metadata.deletionTimestamp === undefined ||
    spec.deletionPolicy === 'Retain' ||
    spec.managementPolicy === 'Observe' ||
    spec.suspend === true
  );
}
