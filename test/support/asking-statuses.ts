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
  Suspended: suspendedStatus(1),
};

/** The status of a suspended object that serves, with an edit that is not applied. */
export function suspendedStatus(observedGeneration: number) {
  return {
    conditions: [
      { type: 'Ready', status: 'True', reason: 'Available', ...since, observedGeneration },
      { type: 'Synced', status: 'False', reason: 'Suspended', ...since, observedGeneration },
    ],
  };
}
