import type { KubernetesObject } from './kubernetes-object.ts';

interface Held {
  readonly metadata: Pick<KubernetesObject['metadata'], 'uid' | 'resourceVersion'> & {
    readonly finalizers?: readonly string[] | undefined;
  };
}

/**
 * Metadata of a merge patch, which replaces the whole list of finalizers. It is locked to a resourceVersion, so that it
 * keeps a finalizer that another client added meanwhile.
 */
export interface FinalizersPatch {
  readonly uid: string;
  readonly resourceVersion: string;
  readonly finalizers: readonly string[];
}

export function hasFinalizer(
  { metadata }: { readonly metadata: { readonly finalizers?: readonly string[] | undefined } },
  finalizer: string,
): boolean {
  return metadata.finalizers?.includes(finalizer) === true;
}

/** Kubernetes refuses a new finalizer on an object that is being deleted. */
export function withFinalizer({ metadata }: Held, finalizer: string): FinalizersPatch {
  const { uid, resourceVersion, finalizers = [] } = metadata;
  return { uid, resourceVersion, finalizers: [...new Set([...finalizers, finalizer])] };
}

/** An object that is being deleted disappears with its last finalizer. */
export function withoutFinalizer({ metadata }: Held, finalizer: string): FinalizersPatch {
  const { uid, resourceVersion, finalizers = [] } = metadata;
  return { uid, resourceVersion, finalizers: finalizers.filter((other) => other !== finalizer) };
}

/** Whether an object in deletion is not held by this finalizer: its owner has released the object, or never held it. */
export function isLetGo(object: KubernetesObject, finalizer: string): boolean {
  return object.metadata.deletionTimestamp !== undefined && !hasFinalizer(object, finalizer);
}

/** Whether {@link withoutFinalizer} shows that the object is gone: it was being deleted, and has no finalizer left. */
export function isGone({ metadata }: Held & { readonly metadata: { readonly deletionTimestamp?: string | undefined } }): boolean {
  return metadata.deletionTimestamp !== undefined && (metadata.finalizers ?? []).length === 0;
}
