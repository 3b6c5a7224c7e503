import { customKinds, customResourceDefinitions, definitionObjects, type Kind } from './kinds.ts';
import type { Births, Objects } from './objects.ts';
import { Refusal } from './refusal.ts';
import type { Store } from './store.ts';
import type { Watches } from './watch.ts';

/** The CustomResourceDefinitions and their controller. The caller decides when the controller works. */
export class Definitions {
  readonly #store: Store;
  readonly #objects: Objects;
  readonly #watches: Watches;
  readonly #births: Births;

  constructor(store: Store, objects: Objects, watches: Watches, births: Births) {
    this.#store = store;
    this.#objects = objects;
    this.#watches = watches;
    this.#births = births;
  }

  /** Creates each definition of crds/ that does not exist. */
  install(): void {
    const { apiVersion, kind } = customResourceDefinitions;
    for (const { name, spec } of definitionObjects) {
      if (this.#store.get(customResourceDefinitions, name)) continue;
      const uid = this.#births.newUid();
      const creationTimestamp = this.#objects.timestamp();
      const object = { apiVersion, kind, metadata: { name, uid, creationTimestamp }, spec };
      this.#store.put(customResourceDefinitions, name, object);
    }
  }

  /** Begins the deletion of the definition with this plural, as if its policy allowed that. */
  delete(plural: string): void {
    const name = definitionNames.find((each) => each.startsWith(`${plural}.`)) ?? '';
    const before = this.#store.get(customResourceDefinitions, name);
    if (!before) throw new Error(`there is no definition of ${plural}`);
    const metadata = { ...before.metadata, deletionTimestamp: this.#objects.timestamp() };
    this.#store.put(customResourceDefinitions, name, { ...before, metadata });
    this.sweep();
  }

  /**
   * Deletes the objects of each definition that is being deleted, and then the definition.
   * @returns whether a definition is still being deleted
   */
  sweep(): boolean {
    const ending = customKinds.filter((kind) => this.#isEnding(kind));
    for (const kind of ending) {
      for (const { metadata } of this.#store.all(kind))
        this.#objects.collect(kind, metadata.namespace, metadata.name);
      if (this.#store.all(kind).length > 0) continue;
      this.#store.remove(customResourceDefinitions, nameOf(kind));
      this.#watches.end(kind);
    }
    return ending.some((kind) => this.#isEnding(kind));
  }

  /** Whether the server has the kind. */
  serves(kind: Kind): boolean {
    return !kind.isCustom || this.#store.get(customResourceDefinitions, nameOf(kind)) !== undefined;
  }

  /** @throws {Refusal} `MethodNotAllowed` for a create of a kind whose definition is being deleted */
  requireLasting(kind: Kind): void {
    if (!kind.isCustom || !this.#isEnding(kind)) return;
    throw new Refusal(
      'MethodNotAllowed',
      'create not allowed while custom resource definition is terminating',
    );
  }

  #isEnding(kind: Kind): boolean {
    const definition = this.#store.get(customResourceDefinitions, nameOf(kind));
    return definition?.metadata.deletionTimestamp !== undefined;
  }
}

const definitionNames = definitionObjects.map(({ name }) => name);

function nameOf({ plural, group }: Kind): string {
  return `${plural}.${group}`;
}
