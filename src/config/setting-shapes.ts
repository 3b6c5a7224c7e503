import * as z from 'zod';

// Patterns of settings. The Helm chart uses the same patterns, and Helm knows no look-ahead (RE2).

export const port =
  '(?:[1-9]\\d{0,3}|[1-5]\\d{4}|6[0-4]\\d{3}|65[0-4]\\d{2}|655[0-2]\\d|6553[0-5])';
/** A name, or an address. What it allows beyond them, the operator refuses. */
const host = '(?:[-\\w.]+|\\[[0-9A-Fa-f:.]+\\])';
const afterHost = `(?::${port})?(?:/[^\\s\\p{Cc}@?#\\\\]*)?`;

/** The cloud: no user, no query, no fragment, since process lists show flags. https, unless it stays on this machine. */
export const cloudUrlPattern = `^https://${host}${afterHost}$|^http://(?:localhost|127\\.0\\.0\\.1|\\[::1\\])${afterHost}$`;

export const namespaceName = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/u;
const uid = /^[A-Za-z0-9][-A-Za-z0-9]{0,127}$/u;

const texts = z.string().transform((text) =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== ''),
);

/** A text with commas. @param each the pattern of an entry; `eachMatches` gives it to the chart */
function list(each: RegExp, error: string) {
  return texts
    .refine((entries) => entries.every((entry) => each.test(entry)), { error })
    .meta({ eachMatches: each.source });
}

const namesOfNamespaces = 'must be names of namespaces, such as shop,blog';
export const namespaces = list(namespaceName, `${namesOfNamespaces}; leave it out for all`).refine(
  (names) => names.length > 0,
  {
    error: `${namesOfNamespaces}; leave it out for all`,
  },
);
export const namespacesOrAll = list(
  new RegExp(`^\\*$|${namespaceName.source}`, 'u'),
  `${namesOfNamespaces}, or * for all`,
);
export const uids = list(uid, 'must be uids, such as 4f1c2a9e-0d3b-4c5a-9e61-7b0d5f3a2c18');

export const objectName = z
  .string()
  .max(253, 'must have 253 characters at most')
  .regex(
    /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/u,
    'must be the name of an object: small letters, digits, dashes and dots',
  );
/** Also for texts that are a part of a label. */
export const shortName = objectName.max(63, 'must have 63 characters at most');
export const flag = z
  .enum(['true', 'false'], 'must be true or false')
  .transform((text) => text === 'true');
export const positive = z.coerce
  .number('must be a number')
  .int('must be a whole number')
  .min(1, 'must be at least 1')
  .max(1_000_000, 'must be at most 1000000');
export const word = z
  .string()
  .regex(/^\P{Cc}{1,63}$/u, 'must have 1 to 63 characters, none of them a control character');

/** Port 0 is any that is free. */
const listens = new RegExp(`^${host}?:(?:0|${port})$`, 'u');
/** `host` without the brackets of an IPv6 address; empty: all addresses, of IPv4 and IPv6. */
export const address = z
  .string()
  .refine(
    (text) => listens.test(text) && URL.canParse(`http://${text.replace(/^:/u, 'localhost:')}`),
    'must be host:port, such as 127.0.0.1:8080, or :8080 for all addresses, with a port up to 65535',
  )
  .transform((text) => {
    const colon = text.lastIndexOf(':');
    return {
      host: text.slice(0, colon).replaceAll(/[[\]]/gu, ''),
      port: Number(text.slice(colon + 1)),
    };
  });

export const cloudUrl = z
  .string('must be set, such as https://api.example.com/v1')
  .regex(new RegExp(cloudUrlPattern, 'u'), {
    error:
      'must be an https URL of host and path, such as https://api.example.com/v1 (http only for this machine; no user, query or fragment)',
    abort: true,
  })
  .refine((text) => URL.canParse(text), 'must be a URL')
  .transform((text) => new URL(text));

const milliseconds: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000 };
function duration(pattern: RegExp, message: string) {
  return z
    .string()
    .regex(pattern, message)
    .transform(
      (text) => Number.parseFloat(text) * (milliseconds[text.replace(/^[\d.]+/u, '')] ?? 0),
    );
}
export const durationMs = duration(
  /^\d{1,7}(\.\d{1,3})?(ms|s|m)$/u,
  'must be a duration, such as 15s or 500ms',
);
/** A Lease says it in seconds. Milliseconds, at most about three hours. */
export const leaseDurationMs = duration(
  /^([1-9]\d{0,3}000ms|[1-9]\d{0,3}s|[1-9]\d{0,1}m)$/u,
  'must be whole seconds, such as 15s, since that is how a Lease says it',
);
