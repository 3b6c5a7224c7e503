import { processEnvironment } from '../../config/config.ts';
import { ledgerEntries, ledgerLabel, type LedgerEntry } from '../../resources/ledger-entry.ts';
import { claimsOn } from '../inventory/claims.ts';
import { inventory, states, type Item } from '../inventory/inventory.ts';
import { describeUnreadable, objectOfEntry } from '../../reconcile/ledger/entry.ts';
import { shortNameOf } from '../objects.ts';
import { openCloud } from '../read/cloud.ts';
import { openCluster } from '../read/cluster.ts';
import { identityOf } from '../read/snapshot.ts';
import { refuseMissingNamespace } from '../read/namespace.ts';
import { pagesOf, readObjects } from '../read/objects.ts';
import { keysOf, readProjects, unreadText } from '../read/resources.ts';
import { operatorOf } from '../read/settings.ts';
import { jsonText } from '../json.ts';
import type { CloudFlags, ObjectFlags, Session } from '../session.ts';
import { table } from '../table.ts';
import { ageText } from '../why/text.ts';

export interface InventoryFlags extends CloudFlags, ObjectFlags {
  readonly output: 'text' | 'json';
}

/** Compares the ledger with the cloud. @returns 0, or 1 if a part of the cloud or of the ledger could not be read, or without a key */
export async function inventoryCommand(
  flags: InventoryFlags,
  { stdout, stderr, signal }: Session,
): Promise<number> {
  await using cluster = openCluster(flags);
  const operator = await operatorOf(cluster.client, flags, processEnvironment());
  const clusterUid = await identityOf(cluster.client);
  const objects = await readObjects(cluster.client, ...(operator.namespaces ?? [undefined]));
  const entries = pagesOf(cluster.client, ledgerEntries, {
    namespace: operator.ledgerNamespace,
    labelSelector: `${ledgerLabel}=true`,
  });
  await using cloud = await openCloud(operator, signal);
  const keys = await keysOf(cluster.client, objects, operator.ownKey);
  const { resources, projects, unread } = await readProjects(keys.map((key) => cloud.open(key)));
  const uids = new Set(objects.map(({ metadata }) => metadata.uid));
  // After the cloud: an entry of a resource is older than the resource.
  const ledger: LedgerEntry[] = [];
  for await (const page of entries) ledger.push(...page);
  const all = inventory({
    resources,
    projects,
    entries: ledger.flatMap(({ content }) => content ?? []),
    clusterUid,
    isWatched: (namespace) => operator.namespaces?.includes(namespace) ?? true,
    exists: (uid) => uids.has(uid),
    claimOn: claimsOn(ledger, objects),
  });
  const isShown = ({ object }: Item) =>
    flags.allNamespaces || flags.namespace === undefined || object?.namespace === flags.namespace;
  const items = all.filter(isShown);
  if (items.length === 0 && flags.namespace !== undefined && !flags.allNamespaces)
    await refuseMissingNamespace(cluster.client, flags.namespace);
  stdout.write(
    flags.output === 'json' ? jsonText('Inventory', { items }) : text(items, Date.now()),
  );
  for (const each of unread) stderr.write(`Error: ${unreadText(each)}: they are missing above\n`);
  const unreadable = ledger.filter((entry) => objectOfEntry(entry) === undefined);
  for (const each of unreadable) stderr.write(`Error: ${describeUnreadable(each)}\n`);
  if (keys.length === 0)
    stderr.write('No API key: the cloud was not read. Set --credentials NAMESPACE/NAME.\n');
  return unread.length + unreadable.length > 0 || keys.length === 0 ? 1 : 0;
}

function text(items: readonly Item[], now: number): string {
  const rows = items.map(
    ({ relation, resource: { kind, id, name = '', size = '', created }, object }) => {
      const age = created === undefined ? '' : ageText(now - Date.parse(created));
      return [
        relation,
        shortNameOf(kind),
        id,
        name,
        size,
        age,
        object ? `${object.namespace}/${object.name}` : '',
      ];
    },
  );
  const counts = states.flatMap((state) => {
    const number = items.filter(({ relation }) => relation === state).length;
    return number === 0 ? [] : [`${number} ${state}`];
  });
  return `${table(['RELATION', 'KIND', 'ID', 'NAME', 'SIZE', 'AGE', 'OBJECT'], rows)}${counts.join(', ') || 'nothing'}.\n`;
}
