import * as z from 'zod';
import { checkedBy, oneParent } from './rule.ts';
import { cloudIdText, objectReference } from './spec-fields.ts';

/** The function timestamp() of CEL ends the whole rule with an error of its own for a date such as the 30th of February. */
const date =
  '20[0-9]{2}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|[12][0-9]))';
const time = '([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]([.][0-9]{1,9})?';
/** The zones of the world reach from -12:00 to +14:00. */
const zone = '(Z|[+-](0[0-9]|1[0-3]):[0-5][0-9]|[+-]14:00)';
const dateAndTime = `^${date}T${time}${zone}$`;

export const fork = z
  .object({
    serviceRef: objectReference('ManagedService in this namespace to copy.').optional(),
    serviceId: cloudIdText(
      'Id of any other service to copy. Needs credentials of your own or the right to adopt.',
    ),
    strategy: z
      .enum(['LAST_SNAPSHOT', 'NOW', 'PITR'])
      .describe(
        'LAST_SNAPSHOT copies the last snapshot, NOW takes a new snapshot first, PITR goes back to targetTime.',
      ),
    targetTime: z
      .string()
      .max(35)
      .optional()
      .meta({
        description:
          'Point in time to go back to, with zone, such as 2026-11-21T09:30:00Z. With strategy PITR, and only with it.',
        ...checkedBy({
          rule: `self.matches('${dateAndTime}') && (!self.matches('^....-02-29') || int(self.substring(0, 4)) % 4 == 0)`,
          message:
            'targetTime is a date and time with zone from 2000 to 2099, such as 2026-11-21T09:30:00Z',
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
