import { keyIn, kinds, namespaces } from './kinds.ts';
import type { Objects } from './objects.ts';
import { Refusal } from './refusal.ts';
import type { Store } from './store.ts';
import type { StoredObject } from './stored-object.ts';

/** The namespace controller: it empties namespaces that are being deleted, and removes empty namespaces. */
export class Namespaces {
  readonly #store: Store;
  readonly #objects: Objects;

  constructor(store: Store, objects: Objects) {
    this.#store = store;
    this.#objects = objects;
  }

  /** @returns whether a namespace is still being deleted */
  sweep(): boolean {
    const ending = this.#store
      .all(namespaces)
      .filter(({ metadata }) => metadata.deletionTimestamp !== undefined);
    for (const namespace of ending) this.#empty(namespace);
    return ending.some(({ metadata }) => this.#store.get(namespaces, metadata.name) !== undefined);
  }

  #empty({ metadata: { name: namespace } }: StoredObject): void {
    let left = 0;
    for (const kind of kinds.filter(({ isNamespaced }) => isNamespaced)) {
      const inside = this.#store
        .all(kind)
        .filter(({ metadata }) => metadata.namespace === namespace);
      for (const { metadata } of inside) {
        const write = {
          kind,
          namespace,
          subresource: undefined,
          user: 'system:serviceaccount:kube-system:namespace-controller',
          fieldManager: '',
          isDryRun: false,
        };
        try {
          if (!this.#objects.delete(write, metadata.name, {}).isGone) left += 1;
        } catch (error) {
          if (!(error instanceof Refusal)) throw error;
          // A policy protects the object. The namespace waits for it, and so do the later objects of the kind.
          left += 1;
          break;
        }
      }
    }
    if (left === 0) this.#store.remove(namespaces, keyIn(namespaces, undefined, namespace));
  }
}
