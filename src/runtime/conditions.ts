/** A condition as Kubernetes has it (metav1.Condition). */
export interface Condition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  /** UpperCamelCase, from a closed list. */
  readonly reason: string;
  /** For people. */
  readonly message: string;
  /** RFC 3339: when `status` became what it is. Another reason or message is no transition. */
  readonly lastTransitionTime: string;
  /** The generation of the spec that was looked at. */
  readonly observedGeneration?: number | undefined;
}

/**
 * The conditions of an object after a look at it. Pure.
 * @param found what is so now; a type that is not among them is gone
 * @param previous as the status has them
 * @param now milliseconds since the epoch
 */
export function conditionsNow(
  found: readonly Pick<Condition, 'type' | 'status' | 'reason' | 'message'>[],
  previous: readonly Condition[],
  { observedGeneration, now }: { readonly observedGeneration: number | undefined; readonly now: number },
): readonly Condition[] {
  return found.map((condition) => {
    const before = previous.find(({ type }) => type === condition.type);
    return {
      ...condition,
      ...(observedGeneration === undefined ? {} : { observedGeneration }),
      lastTransitionTime: before?.status === condition.status ? before.lastTransitionTime : new Date(now).toISOString(),
    };
  });
}
