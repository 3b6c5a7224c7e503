import * as z from 'zod';
import { checkedBy, type CelRule } from './rule.ts';
import { longestWindow, parseWeeklyWindow, weeklyWindowPattern } from './weekly-window.ts';

/** Fields that several kinds share. Their descriptions are the manual: `kubectl explain` prints them. */

const int32 = { format: 'int32' } as const;

/** No object has another name, and `..` would change the path of a request. */
export function objectName() {
  return z
    .string()
    .min(1)
    .max(253)
    .regex(
      /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/u,
      'must be a name as Kubernetes takes it: a-z, 0-9, - and .',
    );
}

/** As Kubernetes allows it. */
export function secretKey() {
  return z
    .string()
    .min(1)
    .max(253)
    .regex(
      /^\.?[-_a-zA-Z0-9][-._a-zA-Z0-9]*$/u,
      'must be a key as a Secret can have it: letters, digits, -, _ and .',
    );
}

export function objectReference(description: string) {
  return z
    .object({ name: objectName().describe('Name of the object, in the same namespace.') })
    .describe(description);
}

export const commonSpec = {
  credentialsRef: objectReference(
    'Secret in this namespace whose key apiKey holds the API key to use. Omitted: the key of the operator itself, where this namespace may use it. The Secret is held by a finalizer while an object needs it.',
  ).optional(),
  deletionPolicy: z
    .enum(['Delete', 'Retain'])
    .optional()
    .describe(
      'The effect of the deletion of this object on the cloud resource: Delete removes it for good, Retain keeps it and removes only this object. Omitted: the setting of the operator, by default Delete. status.onDelete shows the effect.',
    ),
  deletionProtection: z
    .boolean()
    .optional()
    .describe(
      'true refuses to delete the cloud resource, false allows it. Omitted: protected while the environment is PROD, and in a Namespace that requires approvals.',
    ),
  managementPolicy: z
    .enum(['Manage', 'Observe'])
    .optional()
    .describe(
      'Manage brings the cloud resource to this spec; Observe reports its state and the differences from this spec, and never changes or deletes it. Omitted: Manage.',
    ),
  suspend: z
    .boolean()
    .optional()
    .describe(
      'true changes nothing for this object until it is set to false again, neither in the cloud nor in its Secret; while being deleted, too. Status still shows the state in the cloud.',
    ),
};

/** A name or an id in the cloud. */
export function cloudText(description: string) {
  return z.string().min(1).max(128).optional().describe(description);
}

/** An id of the cloud. Spaces around it, which no message shows, are refused at once. */
export function cloudIdText(description: string) {
  return z
    .string()
    .min(1)
    .max(128)
    .regex(/^\S(.*\S)?$/u)
    .optional()
    .describe(description);
}

export const environment = z
  .enum(['DEV', 'PROD'])
  .optional()
  .describe(
    'Environment tag in the cloud. PROD also protects from deletion unless deletionProtection says otherwise. Omitted: as it is; the cloud makes new services DEV.',
  );

export const connectionPooler = z
  .object({
    enabled: z
      .boolean()
      .describe(
        'true switches the pooler on and puts its address into the connection Secret; false switches it off.',
      ),
  })
  .optional()
  .describe('The connection pooler in front of the database. Omitted: as it is.');

const textRule = {
  rule: "self.all(k, !k.contains('managed-db.io/') && !k.contains('argoproj.io/') && !k.contains('fluxcd.io/') && k != 'app.kubernetes.io/instance')",
  message:
    'managed-db.io/, argoproj.io/, fluxcd.io/ and app.kubernetes.io/instance are not for this Secret: a GitOps tool would prune it',
};

const nameRule = {
  rule: "self.all(k, k.matches('^([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$'))",
  message:
    'each name must be valid in Kubernetes: letters, digits, - _ . up to 63 characters, optionally after a domain and a slash',
};

const labelValueRule = {
  rule: "self.all(k, self[k].matches('^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$'))",
  message:
    'each value must be a valid label value: letters, digits, - _ . up to 63 characters, or empty',
};

function texts(what: string, length: number, ...rules: readonly CelRule[]) {
  return z
    .record(z.string(), z.string().max(length))
    .optional()
    .meta({
      maxProperties: 16,
      ...checkedBy(textRule, nameRule, ...rules),
      description: `${what} to put on the Secret, beside the operator's own; 16 at most, values up to ${length} characters. An entry that is removed here stays on the Secret.`,
    });
}

const isKnownZone =
  "!self.endsWith(' Local') && timestamp('2026-01-01T00:00:00Z').getHours(self.split(' ')[2]) >= 0";
const windowRule =
  'must be a weekly window such as "Sat 02:00-05:00 Europe/Berlin": days, hours and a zone of the IANA list';

/** The API server and this schema check the zone with their own lists of zones. */
const weeklyWindow = z
  .string()
  .max(longestWindow)
  .regex(new RegExp(weeklyWindowPattern, 'u'), windowRule)
  .meta(checkedBy({ rule: isKnownZone, message: windowRule }))
  .refine((text) => !('problem' in parseWeeklyWindow(text)), windowRule);

/** The hours for changes that may interrupt connections. */
export const changeWindows = z.array(weeklyWindow).min(1).max(10).optional().meta({
  'x-kubernetes-list-type': 'set',
  description:
    'Weekly hours for changes that may interrupt connections, such as "Sat 02:00-05:00 Europe/Berlin" or "Mon-Thu 22:00-02:00 UTC". An end at or before the start is on the next day. Outside of them, a resize, a change of high availability, a detach from a VPC and a pooler to disable wait; status.heldChanges lists them. A change that has begun continues. Omitted: at any time.',
});

/** The hours in which a service runs. */
export const runningHours = z.array(weeklyWindow).min(1).max(10).optional().meta({
  'x-kubernetes-list-type': 'set',
  description:
    'Weekly hours in which the service runs: "Mon-Fri 07:00-20:00 Europe/Berlin". Outside of them, the operator stops it. managed-db wake starts it for a while. An end at or before the start is on the next day. To remove the hours, set powerState. Omitted: powerState decides.',
});

/** @param usual user and database in the Secret when the spec names none */
export function connectionSecret(
  defaultName: string,
  usual = 'the default of the operator, which is postgres unless configured',
) {
  return z
    .object({
      name: objectName()
        .optional()
        .describe(
          `Name of the Secret, in this namespace. Omitted: ${defaultName}. The operator never overwrites a Secret of another program.`,
        ),
      username: z
        .string()
        .min(1)
        .max(63)
        .optional()
        .describe(`Database user that the Secret names. Omitted: ${usual}.`),
      database: z
        .string()
        .min(1)
        .max(63)
        .optional()
        .describe(`Database that the Secret names. Omitted: ${usual}.`),
      labels: texts('Labels', 63, labelValueRule),
      annotations: texts('Annotations', 256),
    })
    .optional()
    .describe(
      'The Secret that apps connect with, after servicebinding.io: type, provider, host, port, username, password, database, sslmode, uri, jdbc-url, and the same for pooler and VPC, if any.',
    );
}

export function wholeNumber(minimum: number, maximum: number) {
  const message = `must be a whole number from ${minimum} to ${maximum}`;
  return z.int(message).min(minimum, message).max(maximum, message).meta(int32);
}

/** Far above any real size, and exact in every program that handles the number. */
export const largest = 2_147_483_647;

/** A structural schema cannot express the alternative of an integer and the word shared, so a CEL rule does. */
export function sizeOrShared(message: string, description: string) {
  return z
    .union([z.int(message).min(1, message).max(largest, message), z.literal('shared')], message)
    .optional()
    .meta({
      description,
      ...checkedBy({
        rule: `type(self) == int ? self >= 1 && self <= ${largest} : self == 'shared'`,
        message,
      }),
    });
}
