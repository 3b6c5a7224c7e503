import { isAway, KubernetesError } from './kubernetes-error.ts';
import type { ResourceType } from './kubernetes-object.ts';
import type { Log } from './log.ts';

/** Lists that the caches need, and that the API server has refused for a while. An outage is reported elsewhere. */
export interface MissingLists {
  /** Such as `the list of configmaps in the namespace shop: forbidden (403)`. */
  readonly reasons: readonly string[];
  /** A list, or its watch, failed and is tried again. @param list as named by {@link listName} */
  failed(list: string, error: unknown): void;
  works(list: string): void;
  /** No cache needs the list any more. */
  forget(list: string): void;
}

/** For a moment after its start, an API server has no roles and definitions: it refuses everything. Real time. */
const patienceMs = 10_000;

/** @param remedy the way to end a refusal, for the log; empty when only the API server can end it */
export function missingLists(log: Log, remedy: (refusal: KubernetesError) => string = () => ''): MissingLists {
  const failing = new Map<string, { readonly since: number; reason?: string }>();
  return {
    get reasons() {
      return [...failing].flatMap(([list, { reason }]) => (reason === undefined ? [] : `the list of ${list}: ${reason}`));
    },
    failed(list, error) {
      if (isAway(error)) return;
      const state = failing.get(list) ?? { since: performance.now() };
      failing.set(list, state);
      const isRefusal = error instanceof KubernetesError;
      const reason = isRefusal ? `${error.kind}${error.status === undefined ? '' : ` (${error.status})`}` : String(error);
      if (performance.now() - state.since < patienceMs || reason === state.reason) return;
      state.reason = reason;
      const way = isRefusal ? remedy(error) : '';
      const words = 'a list is missing: changes in it are not seen, and no process begins to work without it';
      log.warn({ list, error: String(error) }, way === '' ? words : `${words}; ${way}`);
    },
    works(list) {
      if (failing.get(list)?.reason !== undefined) log.info({ list }, 'a list that was missing is there again');
      failing.delete(list);
    },
    forget: (list) => void failing.delete(list),
  };
}

/** Such as `deployments.apps in the namespace shop`. */
export function listName(
  { plural, group }: ResourceType<unknown>,
  { namespace, labelSelector }: { readonly namespace: string | undefined; readonly labelSelector?: string },
): string {
  const where = namespace === undefined ? '' : ` in the namespace ${namespace}`;
  return `${plural}${group === '' ? '' : `.${group}`}${labelSelector === undefined ? '' : ` with ${labelSelector}`}${where}`;
}
