import { createHash } from 'node:crypto';
import type { KubernetesClient } from './kubernetes-client.ts';
import { KubernetesError } from './kubernetes-error.ts';
import { resourceKey, type KubernetesObject, type ResourceType } from './kubernetes-object.ts';

export interface RecordedEvent {
  readonly type: 'Normal' | 'Warning';
  /** UpperCamelCase, from a closed list. */
  readonly reason: string;
  readonly message: string;
}

type Regarding = KubernetesObject & { readonly apiVersion?: string; readonly kind?: string };

/** Tells of what happens to an object, for `kubectl describe`. Never blocks, never throws; the same again counts up. */
export interface EventRecorder {
  record(object: Regarding, event: RecordedEvent): void;
  /** Waits for what was recorded to be written, or given up. */
  flush(): Promise<void>;
}

const events: ResourceType<unknown> = { group: '', version: 'v1', plural: 'events', kind: 'Event', parse: (value) => value };

const longestBacklog = 1_000;
const rememberMs = 600_000;
const longestMessage = 1_000;

interface Series {
  readonly name: string;
  count: number;
  /** Steady time: how long ago that was does not depend on what the wall clock is set to. */
  lastAt: number;
}

/** Whether what was to be changed is there: an event may have been deleted, or never have reached the server. */
async function isThere(change: Promise<unknown>): Promise<boolean> {
  try {
    await change;
    return true;
  } catch (error) {
    if (error instanceof KubernetesError && error.kind === 'notFound') return false;
    throw error;
  }
}

export function eventRecorder(options: {
  readonly client: KubernetesClient;
  readonly component: string;
  readonly onDropped: (error: unknown) => void;
}): EventRecorder {
  const series = new Map<string, Series>();
  let backlog = 0;
  let chain: Promise<void> = Promise.resolve();

  const write = async (object: Regarding, event: RecordedEvent): Promise<void> => {
    const { namespace = 'default', name, uid } = object.metadata;
    const message = event.message.slice(0, longestMessage);
    const identity = createHash('sha256').update([uid, event.type, event.reason, message].join('\n')).digest('hex').slice(0, 16);
    const now = performance.now();
    // The wall clock: what people read, beside events of others.
    const wall = new Date();
    const at = wall.toISOString();
    const known = series.get(identity);
    if (known && now - known.lastAt < rememberMs) {
      known.count += 1;
      known.lastAt = now;
      const counted = { count: known.count, lastTimestamp: at };
      if (await isThere(options.client.patch(events, resourceKey(namespace, known.name), counted))) return;
    }
    // An object that comes and goes must not leave its events' names behind for ever.
    if (series.size > longestBacklog) series.clear();
    const eventName = `${name.slice(0, 200)}.${identity}${wall.getTime().toString(36)}`;
    series.set(identity, { name: eventName, count: 1, lastAt: now });
    const body = bodyOf(object, { ...event, message }, { name: eventName, component: options.component, at });
    await options.client.create(events, namespace, body);
  };

  return {
    record(object, event) {
      if (backlog >= longestBacklog) return;
      backlog += 1;
      chain = chain
        .then(() => write(object, event))
        .catch((error: unknown) => {
          // Nothing new can be made in a namespace that is being deleted; that is no news.
          if (!(error instanceof KubernetesError && error.namespaceTerminating)) options.onDropped(error);
        })
        .finally(() => {
          backlog -= 1;
        });
    },
    flush: () => chain,
  };
}

function bodyOf(object: Regarding, { type, reason, message }: RecordedEvent, event: { name: string; component: string; at: string }) {
  const { namespace = 'default', name, uid, resourceVersion } = object.metadata;
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: event.name, namespace },
    involvedObject: { apiVersion: object.apiVersion, kind: object.kind, name, namespace, uid, resourceVersion },
    type,
    reason,
    message,
    source: { component: event.component },
    reportingComponent: event.component,
    firstTimestamp: event.at,
    lastTimestamp: event.at,
    count: 1,
  };
}
