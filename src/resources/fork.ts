import * as z from 'zod';
import { checkedBy, oneParent } from './rule.ts';
import { cloudText, objectReference } from './spec-fields.ts';

export const fork = z
  .object({
    serviceRef: objectReference('ManagedService in this namespace to copy.').optional(),
    serviceId: cloudText('Id of any other service to copy. Needs credentials of your own or the right to adopt.'),
    strategy: z
      .enum(['LAST_SNAPSHOT', 'NOW', 'PITR'])
      .describe('LAST_SNAPSHOT copies the last snapshot, NOW takes a new snapshot first, PITR goes back to targetTime.'),
    targetTime: z
      .string()
      .max(35)
      .optional()
      .meta({
        description: 'Point in time to go back to, with zone, such as 2026-11-21T09:30:00Z. With strategy PITR, and only with it.',
        ...checkedBy({
          rule: "self.matches('^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]{1,9})?(Z|[+-][0-9]{2}:[0-9]{2})$') && timestamp(self) > timestamp('2000-01-01T00:00:00Z')",
          message: 'targetTime is a date and time with zone, such as 2026-11-21T09:30:00Z',
        }),
      }),
  })
  .meta(
    checkedBy(oneParent, {
      rule: "(self.strategy == 'PITR') == has(self.targetTime)",
      message: 'strategy PITR needs targetTime; NOW and LAST_SNAPSHOT take none',
      fieldPath: '.targetTime',
    }),
  )
  .describe('Makes the service as a copy of another. Read once, at creation.');
