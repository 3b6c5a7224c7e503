const maxMessageLength = 1_000;
/** A shorter text occurs in many other texts, so a gap would reveal it. */
const shortestPassword = 8;

/**
 * The text on a single line, 1,000 characters at most, since it may echo the request. The API key and the passwords of the
 * request, plain or encoded, are replaced by `[redacted]`.
 */
export function redacted(text: string, apiKey: string, passwords: readonly string[]): string {
  const hidden = [apiKey, ...passwords.filter(({ length }) => length >= shortestPassword)].flatMap(
    formsOf,
  );
  const cleaned = hidden
    .toSorted((a, b) => b.length - a.length)
    .reduce((rest, form) => rest.replaceAll(form, '[redacted]'), onOneLine(text));
  return cleaned.length > maxMessageLength ? `${cleaned.slice(0, maxMessageLength - 1)}…` : cleaned;
}

/** Plain, in JSON, in JSON within JSON, in a URL, in base64 and in base64url. */
export function formsOf(secret: string): readonly string[] {
  const inJson = JSON.stringify(secret).slice(1, -1);
  const bytes = Buffer.from(secret);
  const forms = [
    secret,
    inJson,
    JSON.stringify(inJson).slice(1, -1),
    encodeURIComponent(secret.toWellFormed()),
    bytes.toString('base64').replace(/=+$/u, ''),
    bytes.toString('base64url'),
  ];
  return [...new Set(forms.map(onOneLine))].filter((form) => form !== '');
}

/** Removes control and format characters: they could forge a log line, or hide a secret from the search. */
export function onOneLine(text: string): string {
  return text
    .replaceAll(/[\s\p{Zl}\p{Zp}]+/gu, ' ')
    .replaceAll(/[\p{Cc}\p{Cf}\p{Cs}]/gu, '')
    .trim();
}
