import * as z from 'zod';
import { processEnvironment } from '../../config/config.ts';
import { means } from '../../resources/condition.ts';
import type { ManagedObject } from '../../resources/managed-object.ts';
import { parseKey, resourceKey, type KubernetesClient } from '../../runtime/index.ts';
import { CommandError } from '../error.ts';
import { targetsIn, type Target } from '../objects.ts';
import { plan, type Edit, type ObjectPlan } from '../plan/plan.ts';
import { doubted } from '../plan/doubts.ts';
import { planJson, planMarkdown, planText } from '../plan/text.ts';
import { openCloud } from '../read/cloud.ts';
import { openCluster } from '../read/cluster.ts';
import { appliedManifests } from '../read/kubectl.ts';
import { withoutLedger } from '../read/entries-from-status.ts';
import { checkPruneFlags, namespacesOf, prunedObjects, type PruneFlags } from '../read/pruned.ts';
import { operatorOf, type OperatorOfCluster } from '../read/settings.ts';
import { readSnapshot, type ClusterSnapshot } from '../read/snapshot.ts';
import type { CloudFlags, ObjectFlags, Session } from '../session.ts';
import { namespaceOf, refuseMissingNamespace } from '../read/namespace.ts';
import type { Named } from '../why/cause.ts';
import { nameText, wrapped } from '../why/text.ts';

export interface PlanFlags extends CloudFlags, ObjectFlags, PruneFlags {
  readonly filename?: readonly string[];
  readonly kustomize?: string;
  readonly recursive: boolean;
  readonly serverSide: boolean;
  readonly fieldManager?: string;
  readonly delete?: readonly string[];
  readonly output: 'text' | 'json' | 'markdown';
  readonly failOn: 'any' | 'disruptive' | 'destructive' | 'drift';
}

/** Predicts the operator's changes. @returns 0: no change in the cloud, 2: changes. An error is thrown */
export async function planCommand(
  flags: PlanFlags,
  words: readonly string[],
  { stdout, stderr, signal }: Session,
): Promise<number> {
  const began = Date.now();
  const { filename: files = [], kustomize } = flags;
  const hasManifests = files.length > 0 || kustomize !== undefined;
  const isNothingNamed = !hasManifests && words.length === 0 && !flags.delete;
  if (isNothingNamed && !flags.allNamespaces && flags.namespace === undefined) {
    throw new CommandError(
      'nothing to plan: give -f FILE, KIND/NAME, --delete KIND/NAME, -n NAMESPACE for all objects in it, or -A',
    );
  }
  checkPruneFlags(flags, hasManifests);
  const targets = words.length === 0 ? [] : targetsIn(words);
  const deletions = targetsIn(flags.delete ?? []);
  const isOwnNeeded = !hasManifests || targets.length + deletions.length > 0 || flags.namespace;
  await using cluster = openCluster(flags);
  const reads: Pick<KubernetesClient, 'get' | 'list'> = cluster.client;
  const manifests = {
    files,
    kustomize,
    isRecursive: flags.recursive,
    serverSideManager: flags.serverSide ? (flags.fieldManager ?? 'kubectl') : undefined,
  };
  const { edits, refused } = hasManifests
    ? await appliedManifests(manifests, flags, signal)
    : { edits: [], refused: new Map<string, string>() };
  const operator = await operatorOf(reads, flags, processEnvironment());
  refuseUnwatched(edits, operator.namespaces);
  const namespace = namespaceOf(flags);
  const inManifests = namespacesOf(edits);
  const involved = [...new Set([...inManifests, ...(isOwnNeeded ? [namespace] : [])])];
  const snapshot = await readSnapshot(reads, operator, flags.allNamespaces ? undefined : involved);
  // kubectl deletes nothing if it refuses a manifest.
  const pruned =
    flags.selector === undefined || refused.size > 0
      ? []
      : await prunedObjects(reads, flags.selector, { edits, namespaces: involved });
  await using cloud = await openCloud(operator, signal);
  for (const { kind, name } of deletions)
    if (!isThere(snapshot, { kind, namespace, name }))
      throw new CommandError(
        `${nameText({ kind, namespace, name })}: not found: check the name and -n NAMESPACE`,
      );
  const deleted = deletions.map(({ kind, name }): Edit => ({
    type: 'delete',
    kind,
    key: resourceKey(namespace, name),
  }));
  const changes = [...edits, ...pruned, ...deleted];
  const inNamespace = ({ metadata }: ManagedObject) => metadata.namespace === namespace;
  const named = isNothingNamed ? inNamespace : isTarget(targets, namespace);
  const also = flags.allNamespaces ? () => true : named;
  const input = {
    snapshot,
    live: snapshot.isLedgerRead ? reads : withoutLedger(reads, operator.ledgerNamespace),
    openKey: (key: string) => cloud.open(key),
    settings: operator,
    ownKey: operator.ownKey,
    log: quiet,
  };
  const known = await plan({ ...input, edits: changes, also, now: began }, signal);
  if (known.length === 0 && isNothingNamed && !flags.allNamespaces)
    await refuseMissingNamespace(reads, namespace);
  const plans = snapshot.isLedgerRead ? known : doubted(known, snapshot.unknown);
  for (const { kind, name } of targets)
    if (
      !plans.some(
        (each) => each.kind === kind && each.name === name && each.namespace === namespace,
      )
    )
      throw new CommandError(
        `${nameText({ kind, namespace, name })}: not found: check the name and -n NAMESPACE`,
      );
  const write = { text: planText, json: planJson, markdown: planMarkdown }[flags.output];
  stdout.write(write(plans));
  stderr.write(`Cloud and cluster as of ${new Date(began).toISOString()}. Nothing was changed.\n`);
  if (!snapshot.isLedgerRead) stderr.write(`${wrapped(noteOf(operator), '').join('\n')}\n`);
  if (!snapshot.areNamespacesRead) stderr.write(`${wrapped(noteOfNamespaces, '').join('\n')}\n`);
  const unread = plans.filter(({ end, reason }) => end === 'waits' && means(reason, 'withoutKey'));
  for (const each of unread)
    writeError(`${nameText(each)}: the cloud was not read: ${each.message}`, stderr);
  const undecided = plans.filter(({ end }) => end === 'unknown');
  for (const each of undecided) writeError(`${nameText(each)}: unknown: ${each.message}`, stderr);
  for (const [object, why] of refused)
    stderr.write(`Error: ${object} is not in this plan: kubectl refused its manifest:\n${why}\n`);
  if (unread.length + undecided.length + refused.size > 0) return 1;
  return plans.some((each) => fails(each, flags.failOn)) ? 2 : 0;
}

function writeError(text: string, stderr: Session['stderr']): void {
  stderr.write(`${wrapped(text, '  ', 'Error: ').join('\n')}\n`);
}

const noteOfNamespaces =
  'Note: you may not read the Namespaces. Their rules are unknown, so this plan shows changes that may interrupt connections as held.';

/** What the plan of a user who may not read the ledger cannot know. Pure. */
function noteOf({ isDeploymentHidden }: Pick<OperatorOfCluster, 'isDeploymentHidden'>): string {
  const note =
    'Note: you may not read the ledger, so this plan judges each object by its status. It cannot know other owners of a resource, or passwords under way.';
  const settings =
    " You may not read the operator's Deployment either: its settings are those of your flags and MANAGED_DB_ variables.";
  return isDeploymentHidden ? note + settings : note;
}

/** @throws {CommandError} for an object in a namespace that the operator does not look after */
function refuseUnwatched(edits: readonly Edit[], namespaces: readonly string[] | undefined): void {
  const places = edits.flatMap((edit) =>
    edit.type === 'apply' && edit.of ? [parseKey(edit.of.key).namespace ?? ''] : [],
  );
  const [other] = places.filter((namespace) => namespaces?.includes(namespace) === false);
  if (other !== undefined)
    throw new CommandError(
      `namespace ${other}: the operator does not look after it (--namespaces ${namespaces?.join(',')})`,
    );
}

const place = z.object({ metadata: z.object({ namespace: z.string(), name: z.string() }) });

function isThere({ objects }: ClusterSnapshot, { kind, namespace, name }: Named): boolean {
  return (objects.get(kind) ?? []).some((object) => {
    const { metadata } = place.parse(object);
    return metadata.namespace === namespace && metadata.name === name;
  });
}

function isTarget(
  targets: readonly Target[],
  namespace: string,
): (object: ManagedObject) => boolean {
  return ({ kind, metadata }) =>
    metadata.namespace === namespace &&
    targets.some((each) => each.kind === kind && each.name === metadata.name);
}

function fails({ steps }: ObjectPlan, failOn: PlanFlags['failOn']): boolean {
  return steps.some(({ changesCloud, impact, cause }) => {
    switch (failOn) {
      case 'any':
        return changesCloud;
      case 'disruptive':
        return impact !== 'none';
      case 'destructive':
        return impact === 'dataLoss';
      case 'drift':
        return changesCloud && cause === 'drift';
    }
  });
}

const silent = () => undefined;
/** The operator on the copy logs its actions there. Users read the plan instead. */
export const quiet = { debug: silent, info: silent, warn: silent, error: silent };
