import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { startControlPlane, type ControlPlaneHandle } from '../control-plane/control-plane.ts';
import { defaultOptions } from '../support/default-options.ts';
import { replicaSet, service, vpc } from '../support/manifests.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { openTerminal } from '../support/terminal.ts';
import { until } from '../support/until.ts';
import { ledgerNamespace, startWorld, type OperatorOptions, type World } from '../support/world.ts';
import { allBlocks, pages } from '../unit/docs/pages.ts';

/**
 * The blocks of docs/backup.md, typed as written: a backup, a restore into its cluster, and a restore into
 * another cluster. The test's own namespace replaces the namespace `shop` of the page. Where the page scales
 * the Deployment, the operator of the test stops and starts.
 */

const page = pages.find(({ path }) => path === 'docs/backup.md')?.text ?? '';
const [backUp = '', restore = '', makeNamespaces = '', ...others] = allBlocks(page).map(
  ({ content }) => content,
);

test('each block of the page is typed by a test', () => {
  // The drill with a snapshot of etcd: typed by chart/kubectl-and-helm.test.ts.
  expect(others).toEqual([expect.stringContaining('"value": "--management-policy=Observe"')]);
});

const namespace = `shop-${randomBytes(4).toString('hex')}`;
const jq = fileURLToPath(new URL('../support/jq.ts', import.meta.url));
const kinds = 'managedvpcs,managedservices,readreplicasets';
const objects = [
  vpc('net'),
  service('orders', { vpcRef: { name: 'net' } }),
  replicaSet('reads', 'orders'),
];
const applyAll = `kubectl apply -n shop -f - <<< '${JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects })}'`;
/** Loses a namespace with all its objects, unseen by any operator. */
const lose = `for each in $(kubectl get ${kinds},secrets -n shop -o name); do
    kubectl patch -n shop "$each" --type=merge -p '{"metadata":{"finalizers":null}}'
    kubectl delete -n shop "$each" --ignore-not-found --timeout=20s
  done`;
const ready = '{.status.conditions[?(@.type=="Ready")].reason}';
const secrets = `kubectl get secrets -n shop -o jsonpath='{range .items[*]}{.metadata.name} {.data}{"\\n"}{end}'`;

/** The page says how the command is changed for the ledger. */
const restoreLedger = (restore.split('\n')[0] ?? '').replaceAll('shop', ledgerNamespace);

type Typed = (commands: string) => Promise<string>;

const stack = new AsyncDisposableStack();
let world: World;
let production: ControlPlaneHandle;
let folder: string;
let inProduction: Typed;
let before: {
  readonly ids: readonly string[];
  readonly secrets: string;
  readonly carriedOut: readonly unknown[];
};

beforeAll(async () => {
  folder = stack.use(await temporaryFolder()).path;
  production = stack.use(
    await startControlPlane({ crds: fileURLToPath(new URL('../../crds', import.meta.url)) }),
  ).handle;
  world = stack.use(await startWorld({ start: false }));
  inProduction = await terminalOf(production);
  await inProduction('kubectl create namespace shop');
  await inProduction(applyAll);
  await startOperator({ cluster: production });
  const ids = await idsOnceAll('Available', inProduction);
  before = { ids, secrets: await inProduction(secrets), carriedOut: [...world.project.commits] };
}, 120_000);
afterAll(() => stack.disposeAsync());

async function terminalOf(handle: ControlPlaneHandle): Promise<Typed> {
  const terminal = stack.use(openTerminal(handle, folder));
  await terminal.type(`jq() { '${process.execPath}' '${jq}' "$@"; }`);
  return (commands) => terminal.type(commands.replaceAll(/\bshop\b/gu, namespace));
}

async function startOperator({ settings, ...options }: OperatorOptions): Promise<void> {
  await (
    await world.startOperator({ ...options, settings: { ...settings, namespaces: [namespace] } })
  ).started;
}

/** Waits until each object has this reason. @returns each with its id in the cloud */
function idsOnceAll(reason: string, type: Typed): Promise<readonly string[]> {
  let seen: readonly string[] = [];
  return until(
    `all to be ${reason}`,
    async () => {
      const told = await type(
        `kubectl get ${kinds} -n shop -o jsonpath='{range .items[*]}{.kind} {.status.id} ${ready}{"\\n"}{end}'`,
      );
      seen = told.trim().split('\n');
      return (
        seen.length === objects.length && seen.every((line) => line.endsWith(` ${reason}`)) && seen
      );
    },
    () => [seen, world.log.slice(-15)],
  );
}

/** Requests a visit to each object, and waits until it was made. */
async function visitAll(type: Typed): Promise<void> {
  const token = randomBytes(4).toString('hex');
  await type(`kubectl annotate ${kinds} -n shop --all --overwrite reconcile.managed-db.io/requestedAt=${token}
kubectl wait ${kinds} -n shop --all --for=jsonpath='{.status.lastHandledReconcileAt}'=${token} --timeout=30s`);
}

/** Each object has its earlier id and Secret, and the operator changed nothing in the cloud. */
async function expectAllAsBefore(type: Typed): Promise<void> {
  expect({ ids: await idsOnceAll('Available', type), secrets: await type(secrets) }).toEqual({
    ids: before.ids,
    secrets: before.secrets,
  });
  await visitAll(type);
  expect([...world.project.commits]).toEqual(before.carriedOut);
}

const changesAskedFor = () =>
  [...world.project.calls].filter(([operation]) => !/^(?:get|list)/u.test(operation));

describe('whoever follows the page', { timeout: 120_000 }, () => {
  test('restores objects into their cluster, where each takes up what it had', async () => {
    expect(before.secrets.split('\n').length).toBeGreaterThan(2);
    await inProduction(backUp);
    await world.stopOperators();
    await inProduction(lose);
    expect(await inProduction(`kubectl get ${kinds},secrets -n shop -o name`)).toBe('');
    await inProduction(restore);
    // Flux removes the fields of such a manager. A client-side apply removes the fields of its last apply.
    expect(
      await inProduction(`kubectl get ${kinds} -n shop -o json --show-managed-fields`),
    ).not.toContain('"manager": "kubectl');
    await inProduction(applyAll);
    await startOperator({ cluster: production });
    await expectAllAsBefore(inProduction);
  });

  test('restores them into another cluster, where they only look until they are taken over', async () => {
    const there = await terminalOf(inject('controlPlane'));
    const askedFor = changesAskedFor();
    await startOperator({});
    await there(makeNamespaces);
    await there(restoreLedger);
    await there(restore);
    await idsOnceAll('OwnedElsewhere', there);
    await visitAll(there);
    expect([await there(secrets), changesAskedFor()]).toEqual([before.secrets, askedFor]);

    const told = await there(
      `kubectl get ${kinds} -n shop -o jsonpath='{.items[*].status.conditions[?(@.type=="Ready")].message}'`,
    );
    const clusters = new Set(
      [...told.matchAll(/--accept-objects-of-cluster ([\w-]+)/gu)].map(([, uid = '']) => uid),
    );
    expect([...clusters]).toEqual([
      await inProduction("kubectl get namespace kube-system -o jsonpath='{.metadata.uid}'"),
    ]);
    // The old cluster is gone.
    await world.stopOperators();
    await startOperator({
      settings: { options: { ...defaultOptions, acceptedClusters: [...clusters] } },
    });
    await expectAllAsBefore(there);
    await world.stopOperators();
    await startOperator({});
    await visitAll(there);
    await expectAllAsBefore(there);
  });
});
