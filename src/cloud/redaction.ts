const maxMessageLength = 300;
/** The number of resources whose secrets are remembered, and of secrets for each. */
const maxResources = 500;
const maxOfEach = 4;
/** A shorter text occurs in many other texts, so a gap would reveal it. */
const shortestSecret = 8;

/** Removes secrets from messages, which may echo the API key or a password. */
export interface Redaction {
  /**
   * A cleaner for the messages of a call. It removes only secrets of the call's resources: a tenant must not test
   * guesses of other passwords.
   * @param ids the resources in the path
   * @param secrets secrets in the request itself; they are remembered for the last resource in the path
   */
  about(ids: readonly string[], secrets: readonly string[]): Cleaner;
}

export interface Cleaner {
  remember(id: string, secret: string): void;
  /** The text on a single line, 300 characters at most. Every secret in it, plain or encoded, is replaced by `[redacted]`. */
  clean(text: string): string;
}

export function redaction(apiKey: string): Redaction {
  // Maps and sets keep their order: the first entry is the oldest.
  const secretsOf = new Map<string, ReadonlySet<string>>();
  const remember = (id: string, secret: string) => {
    const known = new Set(secretsOf.get(id));
    known.delete(secret);
    known.add(secret);
    secretsOf.delete(id);
    secretsOf.set(id, new Set([...known].slice(-maxOfEach)));
    const [oldest] = secretsOf.keys();
    if (secretsOf.size > maxResources && oldest !== undefined) secretsOf.delete(oldest);
  };
  return {
    about(ids, secrets) {
      const last = ids.at(-1);
      if (last !== undefined) for (const secret of secrets) remember(last, secret);
      return {
        remember,
        clean(text) {
          const concerned = [...secrets, ...ids.flatMap((id) => [...(secretsOf.get(id) ?? [])])];
          const hidden = [apiKey, ...concerned.filter(({ length }) => length >= shortestSecret)].flatMap(formsOf);
          const cleaned = hidden
            .toSorted((a, b) => b.length - a.length)
            .reduce((rest, form) => rest.replaceAll(form, '[redacted]'), onOneLine(text));
          return cleaned.length > maxMessageLength ? `${cleaned.slice(0, maxMessageLength - 1)}…` : cleaned;
        },
      };
    },
  };
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
