import * as z from 'zod';
import type { Passing } from '../support/http-proxy.ts';

/** The writes to the API server that brought a service up, with the parts that are particular to that service. */
export interface Recording {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly writes: readonly Write[];
}

export interface Write {
  readonly method: 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly contentType: string;
  readonly body: string;
  /** No caller waits for its reply. */
  readonly isEvent: boolean;
  /** It was made only after the cloud had done its work. */
  readonly isAfterCloud: boolean;
}

/** An object that the writes are made for anew. */
export interface Subject {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** A body may be locked to a version of its object. */
const locked = z.looseObject({
  metadata: z
    .looseObject({ uid: z.string().optional(), resourceVersion: z.string().optional() })
    .optional(),
});

/** An object as the API server last answered. */
export interface Version {
  readonly uid: string;
  readonly resourceVersion: string;
}
const methods = z.enum(['POST', 'PUT', 'PATCH', 'DELETE']);

/**
 * The writes among requests, in their order, without those of Leases.
 * @param cloudLatencyMs a write that came so long after the first write has waited for the cloud
 */
export function recordingOf(
  requests: readonly Passing[],
  subject: Subject,
  cloudLatencyMs: number,
): Recording {
  const writes = requests.filter(
    ({ method, path }) => methods.safeParse(method).success && !path.includes('/leases'),
  );
  const begunAtMs = writes[0]?.atMs ?? 0;
  return {
    ...subject,
    writes: writes.map(({ method, path, contentType, body, atMs }) => ({
      method: methods.parse(method),
      path,
      contentType,
      body,
      isEvent: /\/events(?:\/|\?|$)/u.test(path),
      isAfterCloud: atMs - begunAtMs >= cloudLatencyMs,
    })),
  };
}

/** The object that a path names, whichever part of it is written: a create names none yet. */
export function objectOf(path: string): string {
  return path.replace(/\?.*$/u, '').replace(/\/status$/u, '');
}

/**
 * A write for another object. It is as long as the recorded write where the names are.
 * @param version of the object that the write names; undefined: not known
 */
export function writeFor(
  write: Write,
  recording: Recording,
  subject: Subject,
  version: Version | undefined,
): Write {
  const moved = (text: string) =>
    text
      .replaceAll(recording.name, subject.name)
      .replaceAll(recording.namespace, subject.namespace)
      .replaceAll(recording.uid, subject.uid);
  const body = moved(write.body);
  const path = moved(write.path);
  const { metadata, ...rest } = locked.parse(JSON.parse(body));
  if (!metadata || !version) return { ...write, path, body };
  const known = Object.entries(version).filter(([field]) => field in metadata);
  return {
    ...write,
    path,
    body: JSON.stringify({ metadata: { ...metadata, ...Object.fromEntries(known) }, ...rest }),
  };
}
