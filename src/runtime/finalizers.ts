import type { KubernetesObject } from './kubernetes-object.ts';

interface Held {
  readonly metadata: Pick<KubernetesObject['metadata'], 'uid' | 'resourceVersion'> & {
    readonly finalizers?: readonly string[] | undefined;
  };
}

/** Metadata of a merge patch. It names the version that was looked at, since such a patch replaces the whole list: one that somebody added meanwhile must not be lost. */
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

/** The patch that puts a finalizer on an object, behind those that it has. Kubernetes takes none for an object that is being deleted. */
export function withFinalizer({ metadata }: Held, finalizer: string): FinalizersPatch {
  const { uid, resourceVersion, finalizers = [] } = metadata;
  return { uid, resourceVersion, finalizers: [...new Set([...finalizers, finalizer])] };
}

/** The patch that takes a finalizer off and leaves all others. With the last of them, an object that is being deleted is gone. */
export function withoutFinalizer({ metadata }: Held, finalizer: string): FinalizersPatch {
  const { uid, resourceVersion, finalizers = [] } = metadata;
  return { uid, resourceVersion, finalizers: finalizers.filter((other) => other !== finalizer) };
}
