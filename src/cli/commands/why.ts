import * as z from 'zod';
import { jsonText } from '../json.ts';
import { resourceTypes, type ManagedObject } from '../../resources/managed-object.ts';
import { KubernetesError, resourceKey, type ResourceType } from '../../runtime/index.ts';
import type { ClusterReader } from '../copy/cluster-copy.ts';
import { CommandError } from '../error.ts';
import { targetsIn } from '../objects.ts';
import { openCluster } from '../read/cluster.ts';
import { namespaceOf, refuseMissingNamespace } from '../read/namespace.ts';
import { objectPages } from '../read/objects.ts';
import type { ClusterFlags, ObjectFlags, Session } from '../session.ts';
import {
  causesOf,
  explain,
  findingsIn,
  timeOf,
  type Explanation,
  type Objects,
} from '../why/cause.ts';
import { causesText, explanationText, nameText, type Evidence } from '../why/text.ts';

export interface WhyFlags extends ClusterFlags, ObjectFlags {
  readonly output: 'text' | 'json';
  /** `stalled`: objects that only a person can help. */
  readonly failOn: 'any' | 'stalled';
}

/** Says why objects are not as their specs ask. @returns 0 if all are, otherwise 2 */
export async function whyCommand(
  flags: WhyFlags,
  words: readonly string[],
  session: Session,
): Promise<number> {
  if (words.length === 0 && !flags.allNamespaces && flags.namespace === undefined)
    throw new CommandError(
      'no object: give KIND/NAME, -n NAMESPACE for all objects in it, or -A for all objects',
    );
  const targets = words.length === 0 ? [] : targetsIn(words);
  const namespace = namespaceOf(flags);
  await using cluster = openCluster(flags);
  const pages = objectPages(cluster.client, flags.allNamespaces ? undefined : namespace);
  const objects = await findingsIn(pages);
  const isEmpty = objects.findings.size + objects.satisfied.size === 0;
  if (isEmpty && targets.length === 0 && !flags.allNamespaces)
    await refuseMissingNamespace(cluster.client, namespace);
  if (targets.length === 0) return explainAll(objects, flags, session);
  return await explainEach(objects, cluster.client, { flags, targets, namespace }, session);
}

function explainAll(objects: Objects, { output, failOn }: WhyFlags, { stdout }: Session): number {
  const { findings, satisfied } = objects;
  const causes = causesOf([...findings.values()].map((object) => explain(object, objects)));
  const all = findings.size + satisfied.size;
  stdout.write(
    output === 'json' ? jsonText('Causes', { objects: all, causes }) : causesText(causes, all),
  );
  return causes.some((each) => fails(each, failOn)) ? 2 : 0;
}

function fails({ waitsFor }: Pick<Explanation, 'waitsFor'>, failOn: WhyFlags['failOn']): boolean {
  return failOn === 'stalled' ? waitsFor === 'person' : waitsFor !== 'nothing';
}

async function explainEach(
  objects: Objects,
  cluster: ClusterReader,
  {
    flags,
    targets,
    namespace,
  }: {
    readonly flags: WhyFlags;
    readonly targets: ReturnType<typeof targetsIn>;
    readonly namespace: string;
  },
  { stdout }: Session,
): Promise<number> {
  const explained: { readonly explanation: Explanation; readonly evidence: readonly Evidence[] }[] =
    [];
  for (const { kind, name } of targets) {
    const object = await cluster.get<ManagedObject>(
      resourceTypes[kind],
      resourceKey(namespace, name),
    );
    if (!object)
      throw new CommandError(
        `${nameText({ kind, namespace, name })}: not found: check the name and -n NAMESPACE`,
      );
    const explanation = explain(object, objects);
    explained.push({ explanation, evidence: await evidenceOf(object, cluster) });
  }
  const now = Date.now();
  const text = explained
    .map(({ explanation, evidence }) => explanationText(explanation, evidence, now))
    .join('\n');
  stdout.write(
    flags.output === 'json' ? jsonText('Explanations', { explanations: explained }) : text,
  );
  return explained.some(({ explanation }) => fails(explanation, flags.failOn)) ? 2 : 0;
}

const event = z.object({
  involvedObject: z.object({ uid: z.string().default('') }),
  type: z.string(),
  reason: z.string().default(''),
  message: z.string().default(''),
  lastTimestamp: z.string().nullish(),
});
const events: ResourceType<z.infer<typeof event>> = {
  group: '',
  version: 'v1',
  plural: 'events',
  kind: 'Event',
  parse: (value) => event.parse(value),
};

/** Empty for a user who may not list them. */
async function eventsIn(
  namespace: string,
  cluster: ClusterReader,
): Promise<readonly z.infer<typeof event>[]> {
  try {
    return (await cluster.list(events, { namespace })).items;
  } catch (error) {
    if (error instanceof KubernetesError && error.kind === 'forbidden') return [];
    throw error;
  }
}

/** The conditions of the object, and its last three events. */
async function evidenceOf(
  object: ManagedObject,
  cluster: ClusterReader,
): Promise<readonly Evidence[]> {
  const own = (await eventsIn(object.metadata.namespace, cluster)).filter(
    ({ involvedObject }) => involvedObject.uid === object.metadata.uid,
  );
  const last = own
    .toSorted((a, b) => (a.lastTimestamp ?? '').localeCompare(b.lastTimestamp ?? ''))
    .slice(-3);
  const conditions = (object.status?.conditions ?? []).filter(
    ({ type }) => type === 'Ready' || type === 'Synced',
  );
  return [
    ...conditions.map(({ type, status, reason, message, lastTransitionTime: at }) => ({
      what: `${type} ${status}`,
      reason,
      message,
      at: timeOf(at),
    })),
    ...last.map(({ type, reason, message, lastTimestamp }) => ({
      what: `${type} event`,
      reason,
      message,
      at: timeOf(lastTimestamp),
    })),
  ];
}
