import * as z from 'zod';

/** docs/simulator.md has the effect of each kind. */
export const fault = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('errorBefore'),
    ...where(),
    status: z.int().min(400).max(599).default(500),
    body: z.unknown().optional(),
  }),
  z.strictObject({
    kind: z.literal('errorAfter'),
    ...where(),
    status: z.int().min(400).max(599).default(500),
    body: z.unknown().optional(),
  }),
  z.strictObject({ kind: z.literal('dropBefore'), ...where() }),
  z.strictObject({ kind: z.literal('ignored'), ...where() }),
  z.strictObject({ kind: z.literal('replyLost'), ...where() }),
  z.strictObject({ kind: z.literal('delay'), ...where(), delayMs: z.int().min(0).max(600_000) }),
  z.strictObject({
    kind: z.literal('delayReply'),
    ...where(),
    delayMs: z.int().min(0).max(600_000),
  }),
  z.strictObject({
    kind: z.literal('rateLimit'),
    ...where(),
    retryAfterSeconds: z.int().min(0).max(3_600).default(1),
  }),
  z.strictObject({ kind: z.literal('staleList'), ...where(), ageMs: z.int().min(0).max(600_000) }),
  z.strictObject({ kind: z.literal('notYet'), ...where(), ageMs: z.int().min(0).max(600_000) }),
  z.strictObject({
    kind: z.literal('truncatedList'),
    ...where(),
    drop: z.int().min(1).max(100_000),
  }),
  z.strictObject({
    kind: z.literal('malformed'),
    ...where(),
    as: z.enum(['html', 'notJson', 'wrongType', 'unknownField', 'empty', 'redirect']),
  }),
]);
export type Fault = z.infer<typeof fault>;
export type FaultInput = z.input<typeof fault>;

function where() {
  return {
    /** The operation by its name in the client, such as createService; `*` for all. */
    operation: z.string().min(1),
    /** How many times the fault strikes; absent: until it is cleared. */
    times: z.int().min(1).optional(),
    /** Only requests with this name in the body. */
    name: z.string().optional(),
  };
}

/** The faults of a project, in the order of their addition. The first that fits a request strikes. */
export interface FaultList {
  add(input: FaultInput): void;
  take(operation: string, name: string | undefined): Fault | undefined;
  list(): readonly Fault[];
  /** Removes the faults of these operations; without an argument, all faults. */
  clear(...operations: readonly string[]): void;
}

export function faultList(): FaultList {
  let faults: { readonly fault: Fault; left: number }[] = [];
  return {
    add(input) {
      const parsed = fault.parse(input);
      faults.push({ fault: parsed, left: parsed.times ?? Number.POSITIVE_INFINITY });
    },
    take(operation, name) {
      const found = faults.find((each) => fits(each.fault, operation, name));
      if (!found) return undefined;
      found.left -= 1;
      if (found.left <= 0) faults = faults.filter((each) => each !== found);
      return found.fault;
    },
    list: () => faults.map((each) => each.fault),
    clear(...operations) {
      faults =
        operations.length === 0
          ? []
          : faults.filter((each) => !operations.includes(each.fault.operation));
    },
  };
}

function fits(each: Fault, operation: string, name: string | undefined): boolean {
  return (
    (each.operation === '*' || each.operation === operation) &&
    (each.name === undefined || each.name === name)
  );
}
