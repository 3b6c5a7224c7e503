import type { Sources } from '../../src/operator/metrics/operator-metrics.ts';

/** An operator without objects, lists and visits. */
export const noSources: Sources = {
  queues: () => [],
  objects: () => undefined,
  entries: () => undefined,
  openCreateSince: () => undefined,
  isOurs: () => true,
  lists: () => [],
  missingLists: () => 0,
  leads: () => undefined,
  usage: () => [],
  now: () => 0,
};
