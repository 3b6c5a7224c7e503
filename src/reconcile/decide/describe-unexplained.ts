/** Why a list that lacks these known ids does not say that something does not exist. */
export function describeUnexplained(missing: readonly string[], list = "the cloud's list"): string {
  return `${list} lacks ${missing.join(', ')}, and the cloud does not say that it is gone`;
}
