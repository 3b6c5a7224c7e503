import { hash } from 'node:crypto';
import type { KubernetesClient } from './kubernetes-client.ts';
import { KubernetesError, unlessNotFound } from './kubernetes-error.ts';
import { resourceKey, type KubernetesObject, type ResourceType } from './kubernetes-object.ts';

/** An event of Kubernetes, without its object. */
export interface RecordedEvent {
  readonly type: 'Normal' | 'Warning';
  /** UpperCamelCase, from a fixed set. */
  readonly reason: string;
  readonly message: string;
  /**
   * A lasting state, which each process would report. The recorder does not write it again while
   * the event of an earlier process exists.
   */
  readonly isLasting?: true;
}

/** The object of an event, which may be gone. */
interface Regarding {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: Pick<KubernetesObject['metadata'], 'name' | 'namespace' | 'uid'> &
    Partial<Pick<KubernetesObject['metadata'], 'resourceVersion'>>;
}

/** Records events of an object. Never blocks and never throws. A repeated event increases the count of the first. */
export interface EventRecorder {
  record(object: Regarding, event: RecordedEvent): void;
  /** Resolves once all recorded events are written or given up. */
  flush(): Promise<void>;
}

const events: ResourceType<unknown> = {
  group: '',
  version: 'v1',
  plural: 'events',
  kind: 'Event',
  parse: (value) => value,
};

const longestBacklog = 1_000;
const rememberMs = 600_000;
const longestMessage = 1_000;

interface Series {
  readonly name: string;
  count: number;
  /** Milliseconds of steady time, so that its age does not depend on changes of the wall clock. */
  lastAt: number;
}

/**
 * Makes a recorder that writes events in their order. It drops events beyond a backlog of 1,000.
 * `onDropped` gets the error of each event that could not be written, unless the namespace is being
 * deleted.
 */
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
    const identity = hash('sha256', [uid, event.type, event.reason, message].join('\n')).slice(
      0,
      16,
    );
    const now = performance.now();
    // The wall clock: people compare these times with events of other components.
    const wall = new Date();
    const at = wall.toISOString();
    const known = series.get(identity);
    if (known && now - known.lastAt < rememberMs) {
      known.count += 1;
      known.lastAt = now;
      const counted = { count: known.count, lastTimestamp: at };
      const patched = await unlessNotFound(
        options.client.patch(events, resourceKey(namespace, known.name), counted),
      );
      // Otherwise the event was deleted, or has never reached the server.
      if (patched !== undefined) return;
    }
    // A bound for memory: names of old events must not pile up.
    if (series.size > longestBacklog) series.clear();
    const eventName = `${name.slice(0, 200)}.${identity}${event.isLasting ? '' : wall.getTime().toString(36)}`;
    series.set(identity, { name: eventName, count: 1, lastAt: now });
    const body = bodyOf(
      object,
      { ...event, message },
      { name: eventName, component: options.component, at },
    );
    await options.client.create(events, namespace, body).catch((error: unknown) => {
      if (!(event.isLasting && error instanceof KubernetesError && error.kind === 'alreadyExists'))
        throw error;
    });
  };

  return {
    record(object, event) {
      if (backlog >= longestBacklog) return;
      backlog += 1;
      chain = chain
        .then(() => write(object, event))
        .catch((error: unknown) => {
          // A namespace that is being deleted takes no new objects: an expected failure.
          if (!(error instanceof KubernetesError && error.namespaceTerminating))
            options.onDropped(error);
        })
        .finally(() => {
          backlog -= 1;
        });
    },
    flush: () => chain,
  };
}

function bodyOf(
  object: Regarding,
  { type, reason, message }: RecordedEvent,
  event: { name: string; component: string; at: string },
) {
  const { namespace = 'default', name, uid, resourceVersion } = object.metadata;
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: event.name, namespace },
    involvedObject: {
      apiVersion: object.apiVersion,
      kind: object.kind,
      name,
      namespace,
      uid,
      resourceVersion,
    },
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
