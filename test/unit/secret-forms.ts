/**
 * No two forms of this password are equal: JSON, URLs and both kinds of base64 each encode its characters
 * differently.
 */
export const awkwardPassword = 'p"ss/wörd+ ?~>1';

/** How words may repeat a secret. Both places that clean words, those of the cloud and those of Kubernetes, know all of them. */
export const quotations: readonly (readonly [how: string, quoted: (secret: string) => string])[] = [
  ['as it is', (secret) => secret],
  ['in JSON', (secret) => JSON.stringify({ secret })],
  ['in JSON in JSON', (secret) => JSON.stringify(JSON.stringify({ secret }))],
  ['in a URL', (secret) => `postgres://app:${encodeURIComponent(secret)}@db/orders`],
  ['in base64', (secret) => Buffer.from(secret).toString('base64')],
  [
    'in base64 without its end',
    (secret) => Buffer.from(secret).toString('base64').replace(/=+$/u, ''),
  ],
  ['in the base64 of URLs', (secret) => Buffer.from(secret).toString('base64url')],
  ['as a part of something longer', (secret) => `xx${secret}yy`],
];

/** The forms of a secret that must not remain, without the text that a quotation puts around the secret. */
export function tracesOf(secret: string): readonly string[] {
  const inJson = JSON.stringify(secret).slice(1, -1);
  const inBase64 = Buffer.from(secret).toString('base64').replace(/=+$/u, '');
  const inUrlBase64 = Buffer.from(secret).toString('base64url');
  return [
    secret,
    inJson,
    JSON.stringify(inJson).slice(1, -1),
    encodeURIComponent(secret),
    inBase64,
    inUrlBase64,
  ];
}
