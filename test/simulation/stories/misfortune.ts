import type { Story } from './story.ts';

/** Stories in which the ledger, the key, the cluster or the lists of the cloud fail. */
export const misfortune = {} satisfies Readonly<Record<string, Story>>;
