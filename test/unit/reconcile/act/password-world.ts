import * as z from 'zod';
import { CloudError, type CloudErrorKind } from '../../../../src/cloud/cloud-error.ts';
import { serviceId } from '../../../../src/cloud/wire/service.ts';
import { operatorCaches } from '../../../../src/operator/caches.ts';
import { claimTable } from '../../../../src/reconcile/wiring/claims.ts';
import { comparedSecrets } from '../../../../src/reconcile/connection/observe-connection.ts';
import { evidence } from '../../../../src/reconcile/wiring/evidence.ts';
import { memory } from '../../../../src/reconcile/wiring/memory.ts';
import {
  annotationsOf,
  entryLabels,
  ledgerEntries,
  ledgerFinalizer,
  type EntryContent,
  type LedgerEntry,
} from '../../../../src/resources/ledger-entry.ts';
import { connectionSecrets } from '../../../../src/resources/watched-secret.ts';
import {
  KubernetesError,
  objectCache,
  parseKey,
  resourceKey,
  type ResourceType,
} from '../../../../src/runtime/index.ts';
import { typeOf, type ManagedObject } from '../../../../src/resources/managed-object.ts';
import { defaultOptions } from '../../../support/default-options.ts';
import { ledgerEntry } from '../../../support/ledger-entry.ts';
import { merged } from '../../../support/merged.ts';
import { connectionWrite } from '../../../support/our-secret.ts';
import { secretsInMemory } from '../../../support/secrets-in-memory.ts';
import { noon, serviceObject } from '../../../support/situation.ts';

const lock = z.object({
  metadata: z
    .object({ uid: z.string().optional(), resourceVersion: z.string().optional() })
    .default({}),
});

type Texts = Readonly<Record<string, string>>;
export const encoded = (data: Texts) =>
  Object.fromEntries(
    Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString('base64')]),
  );
const decoded = (data: unknown) =>
  Object.fromEntries(
    Object.entries(data ?? {}).map(([key, value]) => [
      key,
      Buffer.from(String(value), 'base64').toString(),
    ]),
  );

/** A ledger entry with its passwords, as Kubernetes has it. */
export function storedEntry(given: Partial<EntryContent>, data: Texts) {
  const { metadata, content } = ledgerEntry(given);
  const annotations = content && annotationsOf(content);
  return {
    metadata: {
      ...metadata,
      uid: `entry of ${content?.object.uid}`,
      annotations,
      finalizers: [ledgerFinalizer],
    },
    data: encoded(data),
  };
}

/** A cluster with these ledger entries and Secrets, which the caches know, and all that actions about passwords use. */
export function passwordWorld({
  secrets = [],
  objects = [],
  answers = [],
  hidden = [],
  afterList = [],
}: Given) {
  const { kubernetes, writes, all } = secretsInMemory(secrets);
  const caches = operatorCaches({ cache: () => objectCache([undefined]) }, 'managed-db-ledger');
  for (const each of all.values()) {
    if (each.metadata.namespace === 'managed-db-ledger')
      caches.ledger.entries.wrote(ledgerEntries.parse(each));
    else if (each.metadata['labels'] !== undefined)
      caches.connectionSecrets.wrote(connectionSecrets.parse(each));
  }
  const sent: string[] = [];
  const failures = [...answers];
  const updateServicePassword = (_id: string, { password }: { password: string }) => {
    sent.push(password);
    const failure = failures.shift();
    return failure ? Promise.reject(failure) : Promise.resolve();
  };
  const live = new Map<string, ManagedObject>(
    [serviceObject(), ...objects].map((each) => [
      resourceKey(each.metadata.namespace, each.metadata.name),
      each,
    ]),
  );
  const isHidden = (key: Parameters<typeof kubernetes.get>[1]) =>
    hidden.includes(parseKey(key).namespace ?? '');
  const readLive = (key: Parameters<typeof kubernetes.get>[1]) =>
    isHidden(key)
      ? Promise.reject(new KubernetesError({ operation: `get ${key}`, kind: 'forbidden' }))
      : Promise.resolve(live.get(key));
  const events: string[] = [];
  const eventTypes: string[] = [];
  const known = memory();
  const facts = evidence();
  const client = {
    ...kubernetes,
    get: <T>(type: ResourceType<T>, key: Parameters<typeof kubernetes.get>[1]) =>
      type.kind === 'Secret' ? kubernetes.get(type, key) : readLive(key),
    patch<T>(
      type: ResourceType<T>,
      key: Parameters<typeof kubernetes.get>[1],
      body: unknown,
      options?: { dryRun?: boolean },
    ) {
      const object = live.get(key);
      if (!object) return kubernetes.patch(type, key, body, options);
      const { uid, resourceVersion } = lock.parse(body).metadata;
      const isOther = uid !== undefined && uid !== object.metadata.uid;
      const isNewer =
        resourceVersion !== undefined && resourceVersion !== object.metadata.resourceVersion;
      if (isOther || isNewer)
        return Promise.reject(new KubernetesError({ operation: `patch ${key}`, kind: 'conflict' }));
      const patched = typeOf(object).parse(merged(object, body));
      live.set(key, patched);
      writes.push(`patch ${key}`);
      return Promise.resolve(patched);
    },
    list(_: unknown, { labelSelector }: { labelSelector: string }) {
      const items = [...all.values()]
        .map((each) => ledgerEntries.parse(each))
        .filter(
          ({ metadata: { labels } }) =>
            labelSelector === `${entryLabels.resource}=${labels?.[entryLabels.resource]}`,
        );
      for (const [key, secret] of secretsInMemory(afterList).all) all.set(key, secret);
      return Promise.resolve({ items });
    },
  };
  let isDeposed = false;
  const fenced = {
    ...client,
    patch: <T>(...args: Parameters<typeof client.patch<T>>) =>
      isDeposed
        ? Promise.reject(new KubernetesError({ operation: `patch ${args[1]}`, kind: 'aborted' }))
        : client.patch<T>(...args),
  };
  const context = {
    kubernetes: fenced,
    recording: client,
    log: {
      debug: () => undefined,
      info: () => undefined,
      warn: () => undefined,
      error: () => undefined,
    },
    caches,
    compared: comparedSecrets(caches.connectionSecrets),
    memory: known,
    evidence: facts,
    leadership: { held: true },
    clock: { now: () => noon },
    claims: claimTable(caches, { now: () => noon }),
    clusterUid: 'cluster',
    options: defaultOptions,
    events: {
      record(_: unknown, { type, message }: { type: string; message: string }) {
        events.push(message);
        eventTypes.push(type);
      },
    },
    newId: () => 'abcdefgh',
    newPassword: () => `generated-${sent.length}`,
  };
  const account = { project: { updateServicePassword } };
  return {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the parts that these actions use
    context: context as never,
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the parts that these actions use
    account: account as never,
    caches,
    live,
    sent,
    writes,
    events,
    eventTypes,
    memory: known.of('ManagedService', resourceKey('shop', 'orders')),
    evidence: facts,
    /** From now on, only the client that records answers can patch. */
    loseLease() {
      isDeposed = true;
    },
    /** The passwords of an entry or Secret, and the content of an entry. */
    seen(namespace: string, name: string) {
      const found = all.get(resourceKey(namespace, name));
      if (!found) return undefined;
      const entry: LedgerEntry = ledgerEntries.parse(found);
      return { content: entry.content, data: decoded(found['data']), metadata: found.metadata };
    },
    all,
  };
}

interface Given {
  readonly secrets?: readonly object[];
  /** Managed objects that exist. */
  readonly objects?: readonly ManagedObject[];
  /** Namespaces whose objects the operator may not read. */
  readonly hidden?: readonly string[];
  /** Secrets that another process creates right after the first LIST. */
  readonly afterList?: readonly object[];
  /** The answers to password calls; undefined accepts a call, also each call after the last answer. */
  readonly answers?: readonly (CloudError | undefined)[];
}

/** @param sent whether the call may have arrived */
export function refusal(kind: CloudErrorKind, sent = true): CloudError {
  const isClear = kind !== 'timeout' && kind !== 'network' && kind !== 'server';
  return new CloudError({
    operation: 'updateServicePassword',
    kind,
    sent,
    fromApi: isClear,
    ...(isClear ? { status: 422 } : {}),
  });
}

export const owner = serviceObject();

/** The rotation that tests of passwords execute. */
export const asked = {
  type: 'setPassword',
  id: serviceId.parse('svc-1'),
  origin: 'rotation r1',
  source: undefined,
  supersedes: false,
  write: connectionWrite(),
} as const;
