/** The step for the deletion of a protected service. */
export const isProtected = {
  type: 'stall',
  reason: 'DeletionProtected',
  retryAfterMs: 60_000,
  message:
    'the service is protected by spec.deletionProtection: set spec.deletionProtection to false to delete it, or spec.deletionPolicy to Retain to keep it; this object goes in both cases',
} as const;
