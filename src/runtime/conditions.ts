/** As metav1.Condition. */
export interface Condition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  /** UpperCamelCase. Each condition type has a fixed set of reasons. */
  readonly reason: string;
  readonly message: string;
  /** RFC 3339. The last change of `status`; a change of reason or message does not count. */
  readonly lastTransitionTime: string;
  /** The generation of the spec that this condition describes. */
  readonly observedGeneration?: number | undefined;
}

/**
 * The conditions of an object after a visit. Pure.
 * @param found the conditions that hold now; a previous type that is not among them is removed
 * @param previous the conditions in the status
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
