import { annotations } from '../../resources/annotations.ts';
import { hasReason, syncedOf } from '../../resources/condition.ts';
import { resourceTypes, type ManagedObject } from '../../resources/managed-object.ts';
import { resourceKey, systemClock, type KubernetesClient } from '../../runtime/index.ts';
import { CommandError } from '../error.ts';
import { targetsIn, type Target } from '../objects.ts';
import { openCluster } from '../read/cluster.ts';
import { namespaceOf } from '../read/namespace.ts';
import type { ClusterFlags, ObjectFlags, Session } from '../session.ts';
import { nameText } from '../why/text.ts';

export interface RequestFlags extends ClusterFlags, Pick<ObjectFlags, 'namespace'> {
  readonly timeout: number;
}

export type Request = 'sync' | 'suspend' | 'resume';

const pollMs = 250;

/**
 * Writes a request into objects, and waits for the operator's answer.
 * @returns 0 if the operator answered, and if each object is then as its spec asks, or suspended; otherwise 1
 */
export async function requestCommand(
  request: Request,
  flags: RequestFlags,
  words: readonly string[],
  session: Session,
): Promise<number> {
  const targets = targetsIn(words);
  const namespace = namespaceOf(flags);
  await using cluster = openCluster(flags);
  const place = { client: cluster.client, namespace, timeoutMs: flags.timeout * 1_000 };
  let code = 0;
  for (const target of targets) {
    const name = nameText({ ...target, namespace });
    try {
      const synced = syncedOf(await answered(request, target, place, session.signal));
      session.stdout.write(`${name}: ${synced?.reason}: ${synced?.message}\n`);
      if (request !== 'suspend' && synced?.status !== 'True') code = 1;
    } catch (error) {
      // The other objects get their request all the same.
      if (!(error instanceof CommandError)) throw error;
      session.stderr.write(`Error: ${name}: ${error.message}\n`);
      code = 1;
    }
  }
  return code;
}

interface Place {
  readonly client: KubernetesClient;
  readonly namespace: string;
  readonly timeoutMs: number;
}

/** @returns the object after the operator has answered @throws {CommandError} if it does not answer in time */
async function answered(
  request: Request,
  { kind, name }: Target,
  { client, namespace, timeoutMs }: Place,
  signal: AbortSignal,
): Promise<ManagedObject> {
  const key = resourceKey(namespace, name);
  const read = () => client.get<ManagedObject>(resourceTypes[kind], key);
  const there = await read();
  if (!there) throw new CommandError('not found: check the name and -n NAMESPACE');
  const token = new Date().toISOString();
  const spec = request === 'sync' ? {} : { spec: { suspend: request === 'suspend' } };
  const body = { metadata: { annotations: { [annotations.requestedAt]: token } }, ...spec };
  const asked = await client.patch<ManagedObject>(resourceTypes[kind], key, body);
  const end = performance.now() + timeoutMs;
  for (;;) {
    const object = await read();
    if (!object) throw new CommandError('it has been deleted since');
    if (isAnswered(object, asked, token)) return object;
    if (performance.now() > end) {
      const look = 'kubectl get pods -A -l app.kubernetes.io/name=managed-db-operator';
      throw new CommandError(
        `the operator did not answer in ${timeoutMs / 1_000} s, and the request stays; to look for the operator: ${look}`,
      );
    }
    await systemClock.sleep(pollMs, signal);
  }
}

/** Whether the status answers the request. A suspended object is reported as such, and answers nothing else. */
function isAnswered(object: ManagedObject, asked: ManagedObject, token: string): boolean {
  const isSuspended = hasReason(object, 'Suspended');
  if (asked.spec.suspend === true) return isSuspended;
  return object.status?.lastHandledReconcileAt === token && !isSuspended;
}
