const maxMessageLength = 300;
/** Of how many resources secrets are remembered, and how many of each. */
const maxResources = 500;
const maxOfEach = 4;
/** A shorter text is in many others: that it was taken out would tell what it is. */
const shortestSecret = 8;

/** Keeps what is secret out of the cloud's own words: an error may echo the key or a password back to us. */
export interface Redaction {
  /**
   * The words of one call. Only the secrets of the resources that it is about are taken out: in what is said of one resource, nobody can look for
   * the password of another.
   * @param ids of the resources in its path
   * @param secrets that are in the request itself; remembered for the last of these resources
   */
  about(ids: readonly string[], secrets: readonly string[]): CleanWords;
}

export interface CleanWords {
  /** From now on, this text is a secret of that resource. */
  remember(id: string, secret: string): void;
  /** The text on one line, at most 300 characters, with every secret in it, as it is or encoded, replaced by `[redacted]`. */
  clean(text: string): string;
}

export function redaction(apiKey: string): Redaction {
  // Maps and sets keep their order: the first is the oldest.
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

/** A secret as it may appear in a text: plain, in JSON, in JSON in JSON, in a URL, in base64 and in that of URLs. */
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

/** Control and format characters could forge a log line or hide a secret from the search. */
export function onOneLine(text: string): string {
  return text
    .replaceAll(/[\s\p{Zl}\p{Zp}]+/gu, ' ')
    .replaceAll(/[\p{Cc}\p{Cf}\p{Cs}]/gu, '')
    .trim();
}
