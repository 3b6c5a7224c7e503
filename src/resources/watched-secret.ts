import { connectionLabel, credentialsLabel } from './annotations.ts';
import { askedNames } from './asked-texts.ts';
import { connectionAnnotations, secretShape, secretsWithData, type SecretWithData } from './connection-secret.ts';

type Texts = Readonly<Record<string, string>>;

/** Without content, and only with the metadata that the operator reads. */
export interface WatchedSecret {
  readonly metadata: SecretWithData['metadata'];
}

export const connectionSecrets = {
  ...secretsWithData,
  metadataOnly: true,
  parse: (value: unknown): WatchedSecret => watched(secretShape.parse(value)),
} as const;

const ours: ReadonlySet<string> = new Set([connectionLabel, credentialsLabel, ...Object.values(connectionAnnotations)]);
/** In characters. The longest of these annotations lists 32 names of up to 317 characters. */
const longestOfOurs = 12_000;
/** The limits of the spec for labels and annotations of a Secret. */
const most = 16;
const longest = 256;

/** Keeps the labels and annotations of the operator, and a few finalizers. The rest may be as large as an object can be. */
export function watched({ metadata }: WatchedSecret): WatchedSecret {
  const { labels = {}, annotations = {}, finalizers = [], ...rest } = metadata;
  const asked = askedNames(annotations[connectionAnnotations.asked]);
  return {
    metadata: {
      ...rest,
      labels: kept(labels, asked.labels.slice(0, most)),
      annotations: kept(annotations, asked.annotations.slice(0, most)),
      ...(finalizers.length === 0 ? {} : { finalizers: finalizers.slice(0, most) }),
    },
  };
}

function kept(texts: Texts, asked: readonly string[]): Texts {
  const isKept = (name: string, { length }: string) =>
    ours.has(name) ? length <= longestOfOurs : length <= longest && asked.includes(name);
  return Object.fromEntries(Object.entries(texts).filter(([name, value]) => isKept(name, value)));
}
