const maxMessageLength = 300;
const maxRemembered = 500;

/** Keeps what is secret out of the cloud's own words: an error may echo the key or a password back to us. */
export interface Redaction {
  /** From now on, this text is a secret. The newest few hundred are remembered. */
  remember(secret: string): void;
  /** The text on one line, at most 300 characters, with every secret in it, as it is or encoded, replaced by `[redacted]`. */
  clean(text: string): string;
}

export function redaction(apiKey: string): Redaction {
  const secrets = new Set<string>();
  return {
    remember(secret) {
      // Moved to the end: a Set keeps its order.
      secrets.delete(secret);
      secrets.add(secret);
      const [oldest] = secrets;
      if (secrets.size > maxRemembered && oldest !== undefined) secrets.delete(oldest);
    },
    clean(text) {
      const hidden = [apiKey, ...secrets].flatMap(formsOf).toSorted((a, b) => b.length - a.length);
      const cleaned = hidden.reduce((rest, form) => rest.replaceAll(form, '[redacted]'), onOneLine(text));
      return cleaned.length > maxMessageLength ? `${cleaned.slice(0, maxMessageLength - 1)}…` : cleaned;
    },
  };
}

/** A secret as it may appear in a text: plain, in JSON, in a URL, in base64. */
export function formsOf(secret: string): readonly string[] {
  const forms = [secret, JSON.stringify(secret).slice(1, -1), percentEncoded(secret), Buffer.from(secret).toString('base64')];
  return [...new Set(forms.map(onOneLine))].filter((form) => form !== '');
}

function percentEncoded(secret: string): string {
  return encodeURIComponent(secret.toWellFormed());
}

/** Control and format characters could forge a log line or hide a secret from the search. */
function onOneLine(text: string): string {
  return text
    .replaceAll(/[\s\p{Zl}\p{Zp}]+/gu, ' ')
    .replaceAll(/[\p{Cc}\p{Cf}\p{Cs}]/gu, '')
    .trim();
}
