import { randomUUID } from 'node:crypto';
import { sendWithinMs } from '../../src/reconcile/ledger/attempt.ts';
import { type Kind, kinds, resourceTypes } from '../../src/resources/managed-object.ts';
import {
  drainLabel,
  processAnnotation,
  ringLabel,
  shardLabel,
} from '../../src/resources/shard-labels.ts';
import {
  type ElectionSettings,
  resourceKey,
  type ShardSettings,
  unlessNotFound,
} from '../../src/runtime/index.ts';
import { storedLeases, storedObjects } from './stored.ts';
import { electionOf, operatorNamespace, type SimulatedWorld } from './world.ts';

const ring = 'databases';
const [shard, drain] = [shardLabel(ring), drainLabel(ring)];

/** The settings of a shard, as run-operator.ts makes them. */
export function shardNamed(name: string): ShardSettings {
  const times = { lookMs: sendWithinMs, waitMs: sendWithinMs + 5_000 };
  return { name, label: shard, drainLabel: drain, ...times };
}

/** The Lease of a shard. */
export function shardElection(name: string): ElectionSettings {
  const labels = { [ringLabel]: ring };
  const annotations = { [processAnnotation]: randomUUID() };
  return { ...electionOf(name), name, marks: { labels, annotations } };
}

/** Assigns the objects of a world to its shards. */
export interface Sharder {
  /** Requests the release of an object, which then gets another shard. An object that is gone stays gone. */
  move(kind: Kind, name: string): Promise<void>;
  stop(): void;
}

const shareEveryMs = 500;
/** A shard is dead if its Lease is not renewed for so long. */
const deadMs = 30_000;

/** The effects of the sharder of kubernetes-controller-sharding, by its documentation. */
export function sharder(world: SimulatedWorld): Sharder {
  const { apiServer, simulation, kubernetes, namespace } = world;
  /** The last shard of the object with a uid. */
  const last = new Map<string, string>();
  let isOver = false;
  const label = (kind: Kind, name: string, labels: Readonly<Record<string, string | null>>) =>
    unlessNotFound(
      kubernetes.patch<unknown>(resourceTypes[kind], resourceKey(namespace, name), {
        metadata: { labels },
      }),
    );
  const living = () =>
    storedLeases(apiServer, operatorNamespace)
      .filter(({ metadata, spec: { holderIdentity, renewTime } }) => {
        const age = simulation.now - Date.parse(renewTime ?? '');
        return metadata.labels?.[ringLabel] === ring && !!holderIdentity && age < deadMs;
      })
      .map(({ metadata }) => metadata.name);
  const share = async (): Promise<void> => {
    const alive = living();
    for (const kind of kinds)
      for (const { metadata } of storedObjects(apiServer, kind)) {
        const { uid, name, labels = {} } = metadata;
        const now = labels[shard];
        if (now !== undefined && alive.includes(now)) continue;
        const others = alive.filter((each) => each !== last.get(uid));
        const [first = alive[0]] = others;
        const next = others[Math.floor(simulation.chance() * others.length)] ?? first;
        if (next === undefined) continue;
        last.set(uid, next);
        await label(kind, name, { [shard]: next, [drain]: null });
      }
  };
  const again = () => {
    if (isOver) return;
    void share().finally(() => simulation.after(shareEveryMs, undefined, 'share', again));
  };
  again();
  return {
    move: async (kind, name) => void (await label(kind, name, { [drain]: 'true' })),
    stop: () => void (isOver = true),
  };
}
