import * as z from 'zod';
import type { Contents } from './contents.ts';
import { compact, isObject, isSame, type JsonObject } from './json.ts';
import { type Cause, Refusal } from './refusal.ts';
import type { StoredObject } from './stored-object.ts';

const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/u;
const secretKey = /^[-._a-zA-Z0-9]{1,253}$/u;

const secretShape = z.object({
  data: z.record(z.string(), z.string().regex(base64)).nullish(),
  stringData: z.record(z.string(), z.string()).nullish(),
  type: z.string().nullish(),
  immutable: z.boolean().nullish(),
});

/** The content of a Secret: stringData becomes data, and the type has a default. */
export const secretContent: Contents = {
  decode(given) {
    const { data, stringData, type, immutable } = parsed(secretShape, given);
    const all = {
      ...data,
      ...Object.fromEntries(
        Object.entries(stringData ?? {}).map(([key, text]) => [
          key,
          Buffer.from(text).toString('base64'),
        ]),
      ),
    };
    return compact({
      data: Object.keys(all).length === 0 ? undefined : all,
      type: type === undefined || type === null || type === '' ? 'Opaque' : type,
      immutable: immutable ?? undefined,
    });
  },
  validate(object, before) {
    const causes: Cause[] = [];
    const data = object['data'];
    const keys = isObject(data) ? Object.keys(data) : [];
    if (!keys.every((key) => secretKey.test(key))) causes.push(invalid('data', 'invalid key'));
    if (before && before['type'] !== object['type'])
      causes.push(invalid('type', 'field is immutable'));
    if (before?.['immutable'] === true) {
      if (object['immutable'] !== true) causes.push(immutableCause('immutable'));
      if (!isSame(before['data'], data)) causes.push(immutableCause('data'));
    }
    refuseInvalid(object, causes);
  },
};

const time = z.string().regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/u);
const microTime = time
  .transform((text) => new Date(text).toISOString().replace('Z', '000Z'))
  .nullish();
const wholeSeconds = time.transform((text) => `${new Date(text).toISOString().slice(0, 19)}Z`);

const leaseShape = z.object({
  spec: z
    .object({
      holderIdentity: z.string().nullish(),
      leaseDurationSeconds: z.int().nullish(),
      acquireTime: microTime,
      renewTime: microTime,
      leaseTransitions: z.int().nullish(),
      strategy: z.string().nullish(),
      preferredHolder: z.string().nullish(),
    })
    .nullish(),
});

/** The content of a Lease. */
export const leaseContent: Contents = {
  decode(given) {
    const { spec } = parsed(leaseShape, given);
    return { spec: withoutNulls(spec ?? {}) };
  },
  validate(object) {
    const { spec } = object;
    const seconds = isObject(spec) ? spec['leaseDurationSeconds'] : undefined;
    const transitions = isObject(spec) ? spec['leaseTransitions'] : undefined;
    const causes: Cause[] = [];
    if (typeof seconds === 'number' && seconds <= 0)
      causes.push(invalid('spec.leaseDurationSeconds', 'must be greater than 0'));
    if (typeof transitions === 'number' && transitions < 0)
      causes.push(invalid('spec.leaseTransitions', 'must be greater than or equal to 0'));
    refuseInvalid(object, causes);
  },
};

const referenceShape = z.object({
  apiVersion: z.string().nullish(),
  kind: z.string().nullish(),
  name: z.string().nullish(),
  namespace: z.string().nullish(),
  uid: z.string().nullish(),
  resourceVersion: z.string().nullish(),
  fieldPath: z.string().nullish(),
});
const eventShape = z.object({
  involvedObject: referenceShape.nullish(),
  reason: z.string().nullish(),
  message: z.string().nullish(),
  source: z.object({ component: z.string().nullish(), host: z.string().nullish() }).nullish(),
  firstTimestamp: wholeSeconds.nullish(),
  lastTimestamp: wholeSeconds.nullish(),
  count: z.int().nullish(),
  type: z.string().nullish(),
  eventTime: microTime,
  action: z.string().nullish(),
  reportingComponent: z.string().nullish(),
  reportingInstance: z.string().nullish(),
});

/** The content of an Event of the core group. */
export const eventContent: Contents = {
  decode(given) {
    const event = parsed(eventShape, given);
    return {
      ...withoutZeros(event),
      involvedObject: withoutZeros(event.involvedObject ?? {}),
      source: withoutZeros(event.source ?? {}),
      firstTimestamp: event.firstTimestamp ?? null,
      lastTimestamp: event.lastTimestamp ?? null,
      eventTime: event.eventTime ?? null,
      reportingComponent: event.reportingComponent ?? '',
      reportingInstance: event.reportingInstance ?? '',
    };
  },
  validate(object) {
    const involved = object['involvedObject'];
    const namespace = isObject(involved) ? (involved['namespace'] ?? '') : '';
    const { namespace: own = '' } = object.metadata;
    const isIn = namespace === own || (namespace === '' && own === 'default');
    refuseInvalid(
      object,
      isIn ? [] : [invalid('involvedObject.namespace', 'does not match event.namespace')],
    );
  },
};

const namespaceShape = z.object({
  spec: z.object({ finalizers: z.array(z.string()).nullish() }).nullish(),
  status: z.object({ phase: z.string().nullish() }).nullish(),
});

/** The content of a Namespace: it is active, and the namespace controller holds it. */
export const namespaceContent: Contents = {
  decode(given) {
    const { spec, status } = parsed(namespaceShape, given);
    return {
      spec: { finalizers: spec?.finalizers ?? ['kubernetes'] },
      status: { phase: status?.phase ?? 'Active' },
    };
  },
  validate: () => undefined,
};

function parsed<T>(shape: z.ZodType<T>, given: JsonObject): T {
  const result = shape.safeParse(given);
  if (result.success) return result.data;
  throw new Refusal('BadRequest', `the object cannot be decoded: ${z.prettifyError(result.error)}`);
}

function withoutNulls(value: JsonObject): JsonObject {
  return compact(
    Object.fromEntries(Object.entries(value).map(([field, inner]) => [field, inner ?? undefined])),
  );
}

/** Go leaves out the empty texts and zeros of these kinds, except behind pointers as in a Lease. */
function withoutZeros(value: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(withoutNulls(value)).filter(([, inner]) => inner !== '' && inner !== 0),
  );
}

function invalid(field: string, message: string): Cause {
  return { reason: 'FieldValueInvalid', message: `Invalid value: ${message}`, field };
}

function immutableCause(field: string): Cause {
  const message = 'Forbidden: field is immutable when `immutable` is set';
  return { reason: 'FieldValueForbidden', message, field };
}

function refuseInvalid({ apiVersion, kind, metadata }: StoredObject, causes: readonly Cause[]) {
  if (causes.length === 0) return;
  const text = causes.map(({ field, message }) => `${field}: ${message}`).join(', ');
  const [group = ''] = apiVersion.includes('/') ? apiVersion.split('/') : [];
  throw new Refusal(
    'Invalid',
    `${kind} ${JSON.stringify(metadata.name)} is invalid: ${text}`,
    { name: metadata.name, group, kind },
    causes,
  );
}
