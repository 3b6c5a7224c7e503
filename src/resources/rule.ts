/** A CEL rule that the API server checks. */
export interface CelRule {
  readonly rule: string;
  readonly message: string;
  readonly fieldPath?: string;
  /** Makes oldSelf available at a creation, without a value. A rule can then apply to creations alone. */
  readonly optionalOldSelf?: true;
}

/** The name in a zod schema's meta, and in the CRD. */
export const celRules = 'x-kubernetes-validations';

export function checkedBy(...rules: readonly CelRule[]): {
  readonly [celRules]: readonly CelRule[];
} {
  return { [celRules]: rules };
}

/**
 * A rule about a field that is fixed at creation. The message also names the way out for an object from which
 * nothing was created. Such an object cannot simply change: its create may be on its way to the cloud.
 */
export function fixedAtCreation(rule: CelRule): CelRule {
  return {
    ...rule,
    message: `${rule.message}; if this object has no status.id, delete it and apply it again`,
  };
}

/** A rule for an optional field that cannot change. It belongs to the parent, which alone sees the field come and go. */
export function fixed(field: string, message: string): CelRule {
  return fixedAtCreation({
    rule: `has(self.${field}) == has(oldSelf.${field}) && (!has(self.${field}) || self.${field} == oldSelf.${field})`,
    message,
    fieldPath: `.${field}`,
  });
}

export const oneParent: CelRule = {
  rule: 'has(self.serviceRef) != has(self.serviceId)',
  message:
    'name exactly one parent: serviceRef for a ManagedService in this namespace, serviceId for another service',
};
