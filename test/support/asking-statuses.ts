import { reasons } from '../../src/resources/condition.ts';

const since = {
  message: 'there',
  observedGeneration: 1,
  lastTransitionTime: '2026-11-21T12:00:00Z',
};

export const readyStatus = {
  conditions: ['Ready', 'Synced'].map((type) => ({
    type,
    status: 'True',
    reason: 'Available',
    ...since,
  })),
};

export const notReady = (
  type: 'Reconciling' | 'Stalled',
  reason: string,
  observedGeneration = 1,
) => ({
  conditions: [
    { type: 'Ready', status: 'False', reason, ...since, observedGeneration },
    { type: 'Synced', status: 'False', reason, ...since, observedGeneration },
    { type, status: 'True', reason, ...since, observedGeneration },
  ],
});

/** Statuses that name a person's next action. */
export const askingStatuses = {
  ...Object.fromEntries(reasons.stalled.map((reason) => [reason, notReady('Stalled', reason)])),
  // The Synced of before the suspension is known from this status alone.
  Suspended: {
    conditions: [
      { type: 'Ready', status: 'True', reason: 'Available', ...since, observedGeneration: 0 },
      { type: 'Synced', status: 'True', reason: 'Suspended', ...since, observedGeneration: 0 },
    ],
  },
};
