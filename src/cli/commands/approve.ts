import { createInterface } from 'node:readline/promises';
import * as z from 'zod';
import {
  heldChangesOf,
  kinds,
  resourceTypes,
  typeOf,
  type ManagedObject,
} from '../../resources/managed-object.ts';
import {
  keyOf,
  KubernetesError,
  resourceKey,
  type KubernetesClient,
  type ResourceType,
} from '../../runtime/index.ts';
import {
  approvalPatch,
  approvalsText,
  missingApprovals,
  objectText,
  revokedApprovals,
  type Approvals,
} from '../approve/approvals.ts';
import { CommandError } from '../error.ts';
import { targetsIn, type Target } from '../objects.ts';
import { openCluster } from '../read/cluster.ts';
import { objectsInManifests } from '../read/kubectl.ts';
import { namespaceOf, refuseMissingNamespace } from '../read/namespace.ts';
import { pagesOf } from '../read/objects.ts';
import { isForbidden, permitted } from '../read/permission.ts';
import type { ClusterFlags, ObjectFlags, Session } from '../session.ts';
import { nameText } from '../why/text.ts';

export interface ApproveFlags extends ClusterFlags, ObjectFlags {
  readonly filename?: readonly string[];
  readonly selector?: string;
  readonly now: boolean;
  readonly yes: boolean;
  readonly revoke: boolean;
}

/**
 * Approves the held changes of objects, or revokes their approvals. It lists the changes and asks once.
 * @returns 0 if each change is approved, or if there is none; 1 if a write failed, or if the person declined
 */
export async function approveCommand(
  flags: ApproveFlags,
  words: readonly string[],
  session: Session,
): Promise<number> {
  if (flags.revoke && flags.now)
    throw new CommandError('--revoke removes approvals: leave out --now');
  const targets = words.length === 0 ? [] : targetsIn(words);
  await using cluster = openCluster(flags);
  const objects = await namedObjects(flags, targets, cluster.client, session.signal);
  const approvals = objects.flatMap(
    (object) =>
      (flags.revoke ? revokedApprovals(object) : missingApprovals(object, flags.now)) ?? [],
  );
  if (approvals.length === 0) {
    if (objects.length === 0 && !flags.allNamespaces)
      await refuseMissingNamespace(cluster.client, namespaceOf(flags));
    const none = flags.revoke ? 'no approval is there' : 'no change waits for an approval';
    session.stdout.write(`${none}\n`);
    return 0;
  }
  session.stdout.write(approvalsText(approvals));
  if (!flags.yes && !(await isConfirmed(flags, session))) return 1;
  let code = 0;
  for (const each of approvals) {
    try {
      await written(each, cluster.client);
      const done = flags.revoke ? 'revoked' : 'approved';
      session.stdout.write(`${objectText(each.object)}: ${done}\n`);
    } catch (error) {
      // The other objects get their approval all the same.
      if (!(error instanceof CommandError)) throw error;
      session.stderr.write(`Error: ${objectText(each.object)}: ${error.message}\n`);
      code = 1;
    }
  }
  return code;
}

async function namedObjects(
  flags: ApproveFlags,
  targets: readonly Target[],
  client: KubernetesClient,
  signal: AbortSignal,
): Promise<readonly ManagedObject[]> {
  const namespace = namespaceOf(flags);
  const { filename: files = [], allNamespaces, selector } = flags;
  const inFiles =
    files.length === 0
      ? []
      : await objectsInManifests(
          { files, kustomize: undefined, isRecursive: false },
          flags,
          signal,
        );
  const named = [
    ...targets.map((target) => ({ ...target, namespace })),
    ...inFiles.map((each) => ({ ...each, namespace: each.namespace ?? namespace })),
  ];
  const isAll = allNamespaces || selector !== undefined || flags.namespace !== undefined;
  if (named.length > 0 && (allNamespaces || selector !== undefined))
    throw new CommandError('-l and -A select objects by themselves: remove KIND/NAME and -f FILE');
  if (named.length > 0) return Promise.all(named.map((each) => readObject(each, client)));
  if (files.length > 0) throw new CommandError('the manifests contain no object of the operator');
  if (!isAll)
    throw new CommandError(
      'no object: give KIND/NAME, -f FILE, -l LABEL=VALUE, -n NAMESPACE for all objects in it, or -A',
    );
  const all: ManagedObject[] = [];
  const where = { namespace: allNamespaces ? undefined : namespace, labelSelector: selector };
  for (const kind of kinds) {
    const { plural } = resourceTypes[kind];
    const pages = pagesOf<ManagedObject>(client, resourceTypes[kind], where);
    for await (const page of permitted(pages, plural, where.namespace))
      all.push(...page.filter(isOfInterest));
  }
  return all;
}

/** Only these objects of a cluster stay in memory. */
function isOfInterest(object: ManagedObject): boolean {
  return heldChangesOf(object).length > 0 || revokedApprovals(object) !== undefined;
}

async function readObject(
  { kind, namespace, name }: Target & { readonly namespace: string },
  client: KubernetesClient,
): Promise<ManagedObject> {
  const object = await client.get<ManagedObject>(resourceTypes[kind], resourceKey(namespace, name));
  if (object) return object;
  throw new CommandError(
    `${nameText({ kind, namespace, name })}: not found: check the name and -n NAMESPACE`,
  );
}

async function isConfirmed({ revoke }: ApproveFlags, { signal }: Session): Promise<boolean> {
  if (!process.stdin.isTTY)
    throw new CommandError('there is no terminal for the question: read the list, then add --yes');
  const question = `${revoke ? 'Revoke' : 'Approve'} all of them? [y/N] `;
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/iu.test((await lines.question(question, { signal })).trim());
  } finally {
    lines.close();
  }
}

/** @throws {CommandError} with the next action, if the object changed or the person lacks the verb */
async function written(approvals: Approvals, client: KubernetesClient): Promise<void> {
  const { object } = approvals;
  try {
    await client.patch<ManagedObject>(typeOf(object), keyOf(object), approvalPatch(approvals));
  } catch (error) {
    if (error instanceof KubernetesError && error.kind === 'conflict')
      throw new CommandError('it has changed since: run the command again');
    if (error instanceof KubernetesError && error.kind === 'notFound')
      throw new CommandError('it has been deleted since');
    if (!isForbidden(error) || (await mayApprove(object, client))) throw error;
    const { namespace } = object.metadata;
    throw new CommandError(
      `you lack the verb approve; an administrator grants it: kubectl create rolebinding managed-db-approve -n ${namespace} --clusterrole=managed-db-approve --user=NAME`,
    );
  }
}

const review = z.object({ status: z.object({ allowed: z.boolean() }) });
const reviews: ResourceType<z.infer<typeof review>> = {
  group: 'authorization.k8s.io',
  version: 'v1',
  plural: 'selfsubjectaccessreviews',
  kind: 'SelfSubjectAccessReview',
  parse: (value) => review.parse(value),
};

/** Policies, webhooks and missing rights answer alike. The API server knows whether the verb is the missing right. */
async function mayApprove(object: ManagedObject, client: KubernetesClient): Promise<boolean> {
  const { group, plural: resource } = typeOf(object);
  const { namespace, name } = object.metadata;
  const resourceAttributes = { verb: 'approve', group, resource, namespace, name };
  return (await client.create(reviews, undefined, { spec: { resourceAttributes } })).status.allowed;
}
