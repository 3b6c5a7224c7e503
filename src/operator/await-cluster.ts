import * as z from 'zod';
import { kinds } from '../resources/managed-object.ts';
import {
  KubernetesError,
  resourceKey,
  systemClock,
  type KubernetesClient,
  type Log,
  type ResourceType,
} from '../runtime/index.ts';
import {
  customResourceDefinitions,
  definitionKey,
  describeOutdated,
  howToInstall,
  type DefinitionReader,
} from '../reconcile/wiring/custom-resource-definition.ts';

const namespace = z.object({ metadata: z.object({ uid: z.string() }) });
const namespaces: ResourceType<z.infer<typeof namespace>> = {
  group: '',
  version: 'v1',
  plural: 'namespaces',
  kind: 'Namespace',
  parse: (value) => namespace.parse(value),
};

const lookAgainMs = 2_000;
/** For a moment after its start, an API server knows no roles and refuses everything. */
const troublePatienceMs = 10_000;

/**
 * Waits until the API server answers and has the operator's kinds, with all their fields.
 * @param waitFor takes each reason for waiting, which is logged once
 * @returns the identity of the cluster: the uid of its namespace kube-system
 */
export async function awaitCluster(
  kubernetes: KubernetesClient,
  { log, waitFor }: { readonly log: Log; readonly waitFor: (condition: string) => void },
  signal: AbortSignal,
): Promise<string> {
  let answeredAt = performance.now();
  let said = '';
  for (;;) {
    const found = await look(kubernetes);
    if ('uid' in found) return found.uid;
    const { missing, isTrouble } = found;
    if (!isTrouble) answeredAt = performance.now();
    if (missing !== said && (!isTrouble || performance.now() - answeredAt >= troublePatienceMs)) {
      log.warn({}, `waiting for ${missing}`);
      waitFor(missing);
      said = missing;
    }
    await systemClock.sleep(lookAgainMs, signal);
  }
}

/** Definitions are large and change seldom. Each deletion reads them in addition. */
const checkEveryMs = 30_000;

/** Reads the CRDs until the signal aborts, so that the reader notices an older CRD. */
export async function watchDefinitions(
  definitionOf: DefinitionReader,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    // An outage is logged elsewhere.
    await Promise.allSettled(kinds.map((kind) => definitionOf(kind)));
    await systemClock.sleep(checkEveryMs, signal).catch(() => undefined);
  }
}

/** A reason for waiting. `isTrouble`: the API server refuses or does not answer. */
interface Missing {
  readonly missing: string;
  readonly isTrouble: boolean;
}

const howToPermit =
  'give the ServiceAccount the roles of the chart (rbac.create) or of deploy/install.yaml';

/** The identity of a cluster: the uid of its namespace kube-system; undefined if there is none. @throws {KubernetesError} */
export async function clusterUidOf(
  kubernetes: Pick<KubernetesClient, 'get'>,
): Promise<string | undefined> {
  const system = await kubernetes.get(namespaces, resourceKey(undefined, 'kube-system'), {
    timeoutMs: 5_000,
  });
  return system?.metadata.uid;
}

async function look(kubernetes: KubernetesClient): Promise<{ readonly uid: string } | Missing> {
  try {
    const uid = await clusterUidOf(kubernetes);
    if (uid === undefined)
      return { missing: 'the namespace kube-system, which tells clusters apart', isTrouble: false };
    for (const kind of kinds) {
      const name = definitionKey(kind);
      const definition = await kubernetes.get(customResourceDefinitions, name, {
        timeoutMs: 5_000,
      });
      if (!definition)
        return {
          missing: `the CustomResourceDefinition ${name}: ${howToInstall}`,
          isTrouble: false,
        };
      const outdated = describeOutdated(kind, definition);
      if (outdated !== undefined)
        return { missing: `a newer definition: ${outdated}`, isTrouble: false };
    }
    return { uid };
  } catch (error) {
    if (!(error instanceof KubernetesError)) throw error;
    if (error.kind !== 'forbidden' && error.kind !== 'unauthorized')
      return { missing: `the API server (${error.kind})`, isTrouble: true };
    return {
      missing: `the API server, which refuses: ${error.message}; ${howToPermit}`,
      isTrouble: true,
    };
  }
}
