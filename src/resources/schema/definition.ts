import type * as z from 'zod';
import type { CelRule } from '../rule.ts';

/** A column of `kubectl get`; a wide column needs -o wide. */
export interface PrinterColumn {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'date';
  readonly jsonPath: string;
  readonly wide?: boolean;
}

export interface Definition {
  readonly kind: string;
  readonly plural: string;
  readonly singular: string;
  readonly shortName: string;
  readonly description: string;
  /** For the field reference. */
  readonly example: { readonly name: string; readonly spec: object };
  readonly columns: readonly PrinterColumn[];
  /** Has a default if all fields are optional: a manifest whose last field is removed also loses its spec. */
  readonly spec: z.ZodType;
  readonly status: z.ZodType;
  /**
   * Rules over the whole object, for transitions or creations only: a tightened rule would otherwise block status
   * writes, and the removal of the finalizer.
   */
  readonly rootRules: readonly CelRule[];
}
