import { mkdir, readdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { processEnvironment } from '../../config/config.ts';
import type { ProjectId } from '../../cloud/wire/account.ts';
import { ledgerEntries, ledgerLabel, type EntryContent } from '../../resources/ledger-entry.ts';
import { kinds } from '../../resources/managed-object.ts';
import { resourceKey, type KubernetesClient } from '../../runtime/index.ts';
import type { LiveKey } from '../copy/cloud-copy.ts';
import type { PartlyRead } from '../../cloud/wire/field.ts';
import { CommandError } from '../error.ts';
import {
  manifestsOf,
  resourcesIn,
  type ImportOptions,
  type Manifest,
  type Project,
} from '../import/manifests.ts';
import { manifestText } from '../import/yaml.ts';
import { claimsOn, claimText } from '../inventory/claims.ts';
import { kindNamed, shortNameOf } from '../objects.ts';
import { plan, type Edit, type ObjectPlan } from '../plan/plan.ts';
import { planText } from '../plan/text.ts';
import { openCloud } from '../read/cloud.ts';
import { openCluster } from '../read/cluster.ts';
import { appliedFiles } from '../read/kubectl.ts';
import { namespaceOf } from '../read/namespace.ts';
import { readObjects } from '../read/objects.ts';
import { orUnread, readServices, unreadText, type Unread } from '../read/resources.ts';
import { operatorOf, readKey, whyNoKey, type OperatorOfCluster } from '../read/settings.ts';
import { readSnapshot } from '../read/snapshot.ts';
import type { CloudFlags, ObjectFlags, Session } from '../session.ts';
import { quiet } from './plan.ts';

export interface ImportFlags extends CloudFlags, Pick<ObjectFlags, 'namespace'> {
  readonly outputDir: string;
  readonly only?: readonly string[];
  readonly manage: boolean;
  readonly credentialsRef?: string;
}

/**
 * Writes manifests that adopt resources outside of this cluster, and proves that they change nothing. A resource that
 * cannot be read, that an object claims, or whose manifest the API server refuses, is reported and left out: it does not
 * hold up the others.
 * @returns 0 if nothing was left out and the plan has no change, otherwise 1
 */
export async function importCommand(
  flags: ImportFlags,
  { stdout, stderr, signal }: Session,
): Promise<number> {
  const wanted = (flags.only ?? []).map(kindNamed);
  const folder = await emptyFolder(flags.outputDir);
  const namespace = namespaceOf(flags);
  await using cluster = openCluster(flags);
  const operator = await operatorOf(cluster.client, flags, processEnvironment());
  const key =
    flags.credentialsRef === undefined
      ? operator.ownKey
      : await keyIn(cluster.client, namespace, flags.credentialsRef);
  if (key === undefined)
    throw new CommandError(
      'no API key: give --credentials-ref NAME, a Secret of this namespace with the key apiKey',
    );
  await using cloud = await openCloud(operator, signal);
  const live = cloud.open(key);
  const { id: projectId } = (await live.getCredentialsInfo()).apiKey.project;
  const unread: Unread[] = [];
  // The project first: an entry of a resource is older than the resource.
  const project = await readProject(live, projectId, unread);
  const [{ items: entries }, objects, snapshot] = await Promise.all([
    cluster.client.list(ledgerEntries, {
      namespace: operator.ledgerNamespace,
      labelSelector: `${ledgerLabel}=true`,
    }),
    readObjects(cluster.client, ...placesOf(operator, namespace)),
    readSnapshot(cluster.client, operator),
  ]);
  const wantedKinds = wanted.length === 0 ? kinds : wanted;
  const objectOf = objectsById(
    entries.flatMap(({ content }) => content ?? []),
    projectId,
  );
  const claimOn = claimsOn(entries, objects);
  const claims = resourcesIn(project).flatMap((each) => {
    const isOwned = objectOf(each.kind, each.id, each.parentId) !== undefined;
    const claim =
      isOwned || !wantedKinds.includes(each.kind) ? undefined : claimOn({ ...each, projectId });
    return claim ? [{ ...each, claim }] : [];
  });
  const manifests = manifestsOf(project, {
    namespace,
    kinds: wantedKinds,
    isManaged: flags.manage,
    credentialsRef: flags.credentialsRef,
    objectOf,
    isClaimed: (kind, id, parentId) =>
      claims.some((each) => each.kind === kind && each.id === id && each.parentId === parentId),
    isTaken: (kind, name) =>
      objects.some(
        ({ kind: other, metadata }) =>
          other === kind && metadata.name === name && metadata.namespace === namespace,
      ),
  });
  for (const each of unread) stderr.write(`Error: ${unreadText(each)}: not imported\n`);
  for (const { kind, id, claim } of claims)
    stderr.write(`Error: ${shortNameOf(kind)} ${id}: not imported: ${claimText(claim)}\n`);
  const leftOut = unread.length + claims.length;
  if (manifests.length === 0 && leftOut > 0) return 1;
  if (manifests.length === 0) {
    stdout.write(
      'Nothing to import: this cluster has an object or a ledger entry for everything in the project. See managed-db inventory.\n',
    );
    return 0;
  }
  const pathOf = (each: Manifest) => join(folder, fileOf(each));
  for (const each of manifests)
    await writeFile(pathOf(each), manifestText(each.object, each.comments), { flag: 'wx' });
  const { edits, refused } = await appliedFiles(
    manifests.map(pathOf),
    { ...flags, namespace },
    signal,
  );
  for (const [path, words] of refused) {
    await rename(path, `${path}.refused`);
    const id = manifests.find((each) => pathOf(each) === path)?.id;
    stderr.write(
      `Error: id ${id}: not imported: ${words}\nCorrect ${path}.refused, and remove .refused from its name.\n`,
    );
  }
  const accepted = manifests.filter((each) => !refused.has(pathOf(each)));
  if (accepted.length === 0) return 1;
  const input = {
    snapshot,
    live: cluster.client,
    openKey: (each: string) => cloud.open(each),
    settings: operator,
    ownKey: operator.ownKey,
  };
  const plans = await plan(
    { ...input, log: quiet, edits: edits.map(managed), also: () => false, now: Date.now() },
    signal,
  );
  const code = reported({ manifests: accepted, folder, plans }, { stdout, stderr });
  return leftOut + refused.size > 0 ? 1 : code;
}

interface Imported {
  readonly manifests: readonly Manifest[];
  readonly folder: string;
  readonly plans: readonly ObjectPlan[];
}

function reported(
  { manifests, folder, plans }: Imported,
  { stdout, stderr }: Pick<Session, 'stdout' | 'stderr'>,
): number {
  const changing = plans.filter(
    ({ end, steps }) => end !== 'synced' || steps.some(({ changesCloud }) => changesCloud),
  );
  const counts = kinds.flatMap((kind) => {
    const number = manifests.filter((each) => each.kind === kind).length;
    return number === 0 ? [] : [`${number} ${shortNameOf(kind)}`];
  });
  stdout.write(`${counts.join(', ')} written to ${folder}\n`);
  if (changing.length === 0) {
    stdout.write(
      `Proved: to apply them, and to manage them, changes nothing in the cloud. Next: kubectl apply -f ${folder}\n`,
    );
    return 0;
  }
  stdout.write(planText(changing));
  stderr.write(
    `Error: to apply ${changing.length} of these manifests would change the cloud, or wait: correct them before kubectl apply\n`,
  );
  return 1;
}

const stored = z.looseObject({ spec: z.looseObject({}) });

/** The object as managed: an object that only observes never changes anything, which would prove nothing. */
function managed(edit: Edit): Edit {
  if (edit.type !== 'apply' || edit.of === undefined) return edit;
  const { spec, ...object } = stored.parse(edit.object);
  return { ...edit, object: { ...object, spec: { ...spec, managementPolicy: 'Manage' } } };
}

/** A VPC without its peerings is left out: its manifest would not name them. */
async function readProject(key: LiveKey, id: ProjectId, unread: Unread[]): Promise<Project> {
  const project = key.project(id);
  const [vpcs = [], services] = await Promise.all([
    orUnread('VPCs', project.listVpcs(), unread),
    readServices(project, unread),
  ]);
  const withPeerings = vpcs.map(async (vpc) => {
    const peerings = await orUnread(
      `peerings of VPC ${vpc.id}`,
      project.listPeerings(vpc.id),
      unread,
    );
    return peerings === undefined ? [] : [{ ...vpc, peerings }];
  });
  const peered = (await Promise.all(withPeerings)).flat();
  return {
    vpcs: peered.filter((vpc) => isWhole(`VPC ${vpc.id}`, [vpc, ...vpc.peerings], unread)),
    services: services
      .filter((service) => isWhole(`service ${service.service_id}`, [service], unread))
      .map((service) => ({
        ...service,
        replicaSets: service.replicaSets.filter((set) =>
          isWhole(`replica set ${set.id}`, [set], unread),
        ),
      })),
  };
}

/** Whether all fields of a resource could be read. Otherwise it is left out: its manifest would ask for another value. */
function isWhole(what: string, parts: readonly PartlyRead[], unread: Unread[]): boolean {
  const odd = parts.find(({ unreadable }) => unreadable)?.unreadable;
  if (odd) unread.push({ what, why: `the cloud's reply could not be understood (${odd.first})` });
  return odd === undefined;
}

/** The namespaces of the operator and of the import. Undefined: all. */
function placesOf(
  { namespaces }: Pick<OperatorOfCluster, 'namespaces'>,
  own: string,
): readonly (string | undefined)[] {
  return namespaces ? [...new Set([...namespaces, own])] : [undefined];
}

/** The id of a replica set is unique in its service alone. */
function objectsById(
  entries: readonly EntryContent[],
  projectId: string,
): ImportOptions['objectOf'] {
  const own = entries.filter((entry) => entry.projectId === projectId);
  const known = new Map(
    own.map(({ object, id, parentServiceId = '' }) => [
      `${object.kind}/${parentServiceId}/${id}`,
      object,
    ]),
  );
  return (kind, id, parentId = '') => known.get(`${kind}/${parentId}/${id}`);
}

async function keyIn(
  cluster: Pick<KubernetesClient, 'get'>,
  namespace: string,
  name: string,
): Promise<string> {
  const key = await readKey(cluster, resourceKey(namespace, name));
  if (key === undefined) throw new CommandError(await whyNoKey(cluster, namespace, name));
  return key;
}

async function emptyFolder(path: string): Promise<string> {
  await mkdir(path, { recursive: true });
  if ((await readdir(path)).length > 0)
    throw new CommandError(`--output-dir: ${path} is not empty: choose another folder`);
  return path;
}

function fileOf({ kind, name }: Manifest): string {
  return `${shortNameOf(kind)}-${name}.yaml`;
}
