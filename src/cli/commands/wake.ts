import { annotations } from '../../resources/annotations.ts';
import { hasReason } from '../../resources/condition.ts';
import type { ManagedService } from '../../resources/managed-service.ts';
import { resourceTypes } from '../../resources/managed-object.ts';
import { resourceKey, type KubernetesClient } from '../../runtime/index.ts';
import { CommandError } from '../error.ts';
import { targetsIn, type Target } from '../objects.ts';
import { openCluster } from '../read/cluster.ts';
import { namespaceOf } from '../read/namespace.ts';
import type { ClusterFlags, ObjectFlags, Session } from '../session.ts';
import { nameText } from '../why/text.ts';

export interface WakeFlags extends ClusterFlags, Pick<ObjectFlags, 'namespace'> {
  /** Milliseconds. */
  readonly for: number;
}

/**
 * Writes into services with running hours until when they run outside of them.
 * @returns 0 if each object has the time, otherwise 1
 */
export async function wakeCommand(
  flags: WakeFlags,
  words: readonly string[],
  session: Session,
): Promise<number> {
  const targets = targetsIn(words);
  const namespace = namespaceOf(flags);
  await using cluster = openCluster(flags);
  const until = new Date(Math.ceil((Date.now() + flags.for) / 1_000) * 1_000);
  const text = until.toISOString().replace('.000Z', 'Z');
  let code = 0;
  for (const target of targets) {
    const name = nameText({ ...target, namespace });
    try {
      await wake(target, namespace, text, cluster.client);
      session.stdout.write(`${name}: awake until ${text}; the operator starts the service now\n`);
    } catch (error) {
      // The other objects are woken all the same.
      if (!(error instanceof CommandError)) throw error;
      session.stderr.write(`Error: ${name}: ${error.message}\n`);
      code = 1;
    }
  }
  return code;
}

/** The reason why a wake has no effect on a service, with the next action. Undefined if it has an effect. Pure. */
export function whyNoWake(service: ManagedService): string | undefined {
  const { spec, metadata } = service;
  if (metadata.deletionTimestamp !== undefined)
    return 'is being deleted: start the service in the cloud';
  if (spec.managementPolicy === 'Observe' || hasReason(service, 'Observed'))
    return 'is only observed: start the service in the cloud';
  if (spec.suspend === true)
    return `is suspended: managed-db resume ${nameText({ kind: 'ManagedService', ...metadata })}`;
  if (spec.runningHours === undefined)
    return 'has no spec.runningHours: to start it, set spec.powerState to Running';
  return undefined;
}

/** @throws {CommandError} for an object that a wake does not start */
async function wake(
  { kind, name }: Target,
  namespace: string,
  until: string,
  client: KubernetesClient,
): Promise<void> {
  if (kind !== 'ManagedService') throw new CommandError('has no running hours: name a service');
  const key = resourceKey(namespace, name);
  const service = await client.get(resourceTypes[kind], key);
  if (!service) throw new CommandError('not found: check the name and -n NAMESPACE');
  const problem = whyNoWake(service);
  if (problem !== undefined) throw new CommandError(problem);
  const body = { metadata: { annotations: { [annotations.awakeUntil]: until } } };
  await client.patch(resourceTypes[kind], key, body);
}
