import * as z from 'zod';
import { condition, reasons } from './condition.ts';

/** Status shapes that several kinds share. Mirrors of the cloud have no enum, format or limit: a new value of the cloud must never block a write. */

export const endpoint = z.object({ host: z.string().optional(), port: z.number().optional() });
export const pooler = z.object({ endpoint: endpoint.optional() });
export const environmentTag = z.object({ environment: z.string().optional() });

const generation = z.int().meta({ format: 'int64' });

export const commonStatus = {
  observedGeneration: generation
    .optional()
    .describe('metadata.generation that this status speaks of.'),
  lastHandledReconcileAt: z
    .string()
    .optional()
    .describe(
      'The text of the annotation reconcile.managed-db.io/requestedAt that was last answered; beyond 4096 characters, its SHA-256.',
    ),
  id: z.string().optional().describe('Id of the resource in the cloud.'),
  projectId: z.string().optional().describe('Project in the cloud that the resource belongs to.'),
  state: z
    .string()
    .optional()
    .describe("The cloud's own word for the state of the resource; absent when it has none."),
  stateSince: z.string().optional().describe('Time since when the operator has seen this state.'),
  onDelete: z
    .string()
    .optional()
    .describe('The effect of a deletion of this object now: Delete, Retain or Protected.'),
  lastOperation: z
    .object({
      operation: z.string(),
      wanted: z.string(),
      from: z.string().optional(),
      generation: generation.optional(),
      at: z.string(),
      wasBusy: z.boolean().optional(),
    })
    .optional()
    .describe('The last change that the cloud accepted and that may not show yet.'),
  notApplied: z
    .array(
      z.object({
        operation: z.string(),
        from: z.string(),
        wanted: z.string(),
        generation: generation.optional(),
      }),
    )
    .optional()
    .describe(
      'Changes that the cloud accepted without effect: not requested again until the spec or the cloud changes.',
    ),
  refusal: z
    .object({
      generation: generation.optional(),
      failures: z.number(),
      at: z.string(),
      message: z.string(),
      stalled: z.enum(reasons.stalled).optional(),
      waiting: z.enum(reasons.reconciling).optional(),
    })
    .optional()
    .describe(
      'The last create that the cloud refused or answered unclearly, for which spec, and how often in a row: these pace the next create.',
    ),
  conditions: z
    .array(condition)
    .optional()
    .describe(
      'Ready: an app can connect. Synced: the spec is applied. Otherwise Reconciling (the operator continues) or Stalled (a person must act).',
    ),
};

/** Of a kind whose changes rules can hold. */
export const heldChanges = z
  .array(
    z.object({
      operation: z.string().describe('The operation in the cloud, such as resizeService.'),
      change: z.string().describe('The change in words, such as 1000m/4GB -> 2000m/8GB.'),
      waitsFor: z.string().describe('Window or Approval.'),
      until: z
        .string()
        .optional()
        .describe('The next time at which all windows are open. Absent if there is none soon.'),
      since: z.string().describe('Time since when the change is held.'),
    }),
  )
  .optional()
  .describe('Changes that wait for a window or for an approval.');

export const binding = z
  .object({ name: z.string() })
  .optional()
  .describe('The connection Secret, in the form of servicebinding.io.');

export const connectionSecretVersion = z
  .object({
    uid: z.string(),
    resourceVersion: z.string(),
    username: z.string().optional(),
    database: z.string().optional(),
  })
  .optional()
  .describe(
    'The version of the connection Secret that the operator last wrote or compared, with its user and database. The operator reads another version, and a Secret whose password is not in the ledger.',
  );
