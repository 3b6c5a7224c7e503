import type { KubernetesObject } from './kubernetes-object.ts';

/** How several processes share objects: a label says whose an object is. Others write the labels, at any moment. */
export interface ShardSettings {
  /** The value of the label on the objects of this process. */
  readonly name: string;
  readonly label: string;
  /** The label that asks a process to let its object go. The process then removes both labels. */
  readonly drainLabel: string;
  /** Real milliseconds in which a request may be sent after a look that showed the label. */
  readonly lookMs: number;
  /**
   * Real milliseconds in which nothing is done for an object after its label was seen to name this process. Longer than `lookMs`: what the process before sent
   * at the last moment has the difference to arrive.
   */
  readonly waitMs: number;
}

/** One of several processes that share objects. */
export interface Shard {
  readonly lookMs: number;
  isOurs(object: KubernetesObject | undefined): boolean;
  /** Waits until the caches hold all that the API server has now, and so what other processes wrote. */
  catchUp(): Promise<void>;
}

export function isOurs(object: KubernetesObject | undefined, { label, name }: Pick<ShardSettings, 'label' | 'name'>): boolean {
  return object?.metadata.labels?.[label] === name;
}

export function isToBeLetGo({ metadata }: KubernetesObject, { drainLabel }: Pick<ShardSettings, 'drainLabel'>): boolean {
  return metadata.labels?.[drainLabel] !== undefined;
}
