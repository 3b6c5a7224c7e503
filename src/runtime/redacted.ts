const shortest = 8;
const mark = '[redacted]';

/**
 * Words about a Secret, without its content: a webhook or the API server may quote what it was sent. Each value is hidden as it is and in the forms
 * that it may take in a text, also as a part of something longer; and so is everything that looks like base64, which may be the whole object.
 * Values shorter than eight characters stay: to hide them would show them.
 * @param values what must not be repeated
 */
export function redacted(words: string, values: Iterable<string>): string {
  const forms = [...values].filter((value) => value.length >= shortest).flatMap(formsOf);
  // The longest first: a value may be a part of another.
  const hidden = [...new Set(forms)].toSorted((a, b) => b.length - a.length).reduce((rest, form) => rest.replaceAll(form, mark), words);
  return hidden.replaceAll(/[\w+/=]{20,}/gu, (run) => (/[0-9+=]/u.test(run) && /[a-z]/u.test(run) && /[A-Z]/u.test(run) ? mark : run));
}

/** Plain, in JSON, in JSON in JSON, in a URL, in base64 and in that of URLs. */
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

/** The values of a Secret as it is sent: `data` in base64, `stringData` as it is. */
export function valuesOfSecret(body: unknown): readonly string[] {
  const { data, stringData } = asRecord(body);
  const encoded = Object.values(asRecord(data)).filter((value) => typeof value === 'string');
  const plain = Object.values(asRecord(stringData)).filter((value) => typeof value === 'string');
  return [...plain, ...encoded, ...encoded.map((value) => Buffer.from(value, 'base64').toString('utf8'))];
}

function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
