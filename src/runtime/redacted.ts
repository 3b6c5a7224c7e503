const shortest = 8;
const mark = '[redacted]';

/**
 * Removes the content of a Secret from a text: the API server or a webhook may quote the request. Hides each value in
 * all common encodings. Hides everything that looks like base64, which may be the whole object. Shows values shorter
 * than eight characters, which gaps would reveal.
 * @param values the texts to hide
 */
export function redacted(text: string, values: Iterable<string>): string {
  const forms = [...values].filter((value) => value.length >= shortest).flatMap(formsOf);
  // The longest first: a value may be a part of another value.
  const hidden = [...new Set(forms)]
    .toSorted((a, b) => b.length - a.length)
    .reduce((rest, form) => rest.replaceAll(form, mark), text);
  return hidden.replaceAll(/[\w+/=]{20,}/gu, (run) =>
    /[0-9+=]/u.test(run) && /[a-z]/u.test(run) && /[A-Z]/u.test(run) ? mark : run,
  );
}

/** Plain, in JSON, in JSON within JSON, in a URL, in base64 and in base64url. */
function formsOf(value: string): readonly string[] {
  const inJson = JSON.stringify(value).slice(1, -1);
  const bytes = Buffer.from(value);
  return [
    value,
    inJson,
    JSON.stringify(inJson).slice(1, -1),
    encodeURIComponent(value.toWellFormed()),
    bytes.toString('base64').replace(/=+$/u, ''),
    bytes.toString('base64url'),
  ];
}

/** As it is sent: `data` encoded and decoded, `stringData` as it is. */
export function valuesOfSecret(body: unknown): readonly string[] {
  const { data, stringData } = asRecord(body);
  const encoded = Object.values(asRecord(data)).filter((value) => typeof value === 'string');
  const plain = Object.values(asRecord(stringData)).filter((value) => typeof value === 'string');
  return [
    ...plain,
    ...encoded,
    ...encoded.map((value) => Buffer.from(value, 'base64').toString('utf8')),
  ];
}

function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
