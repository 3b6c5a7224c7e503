/** A rule that the API server checks, in CEL. */
export interface CelRule {
  readonly rule: string;
  readonly message: string;
  /** Points the message at a field below. */
  readonly fieldPath?: string;
  /** oldSelf is there at a creation, too, and has no value then: how a rule is for creations alone. */
  readonly optionalOldSelf?: true;
}

/** Meta of a zod schema that becomes `x-kubernetes-validations`. */
export const celRules = 'x-kubernetes-validations';

export function checkedBy(...rules: readonly CelRule[]): { readonly [celRules]: readonly CelRule[] } {
  return { [celRules]: rules };
}

/** An optional field that cannot change: only its parent sees it come and go. */
export function fixed(field: string, message: string): CelRule {
  return {
    rule: `has(self.${field}) == has(oldSelf.${field}) && (!has(self.${field}) || self.${field} == oldSelf.${field})`,
    message,
    fieldPath: `.${field}`,
  };
}
