import { connectionFinalizer, connectionLabel, credentialsLabel } from './annotations.ts';
import { askedNames } from './asked-texts.ts';
import { connectionAnnotations, secretShape, secretsWithData, type SecretWithData } from './connection-secret.ts';

type Texts = Readonly<Record<string, string>>;

/** A Secret of our label, as the watch tells of it and the cache keeps it: nothing of its content, and of the rest only what the operator reads. */
export interface WatchedSecret {
  readonly metadata: SecretWithData['metadata'];
}

export const connectionSecrets = {
  ...secretsWithData,
  metadataOnly: true,
  parse: (value: unknown): WatchedSecret => watched(secretShape.parse(value)),
} as const;

const ours: ReadonlySet<string> = new Set([connectionLabel, credentialsLabel, ...Object.values(connectionAnnotations)]);
/** Characters. The longest of ours lists 32 names of up to 317. */
const longestOfOurs = 12_000;
/** As many, and as long, as a spec may ask for. */
const most = 16;
const longest = 256;

/** Labels, annotations and finalizers of others may be as large as an object can be: those are kept that the operator put there, and a few finalizers. */
export function watched({ metadata }: WatchedSecret): WatchedSecret {
  const { labels = {}, annotations = {}, finalizers = [], ...rest } = metadata;
  const asked = askedNames(annotations[connectionAnnotations.asked]);
  const others = finalizers.filter((finalizer) => finalizer !== connectionFinalizer).slice(0, most);
  return {
    metadata: {
      ...rest,
      labels: kept(labels, asked.labels.slice(0, most)),
      annotations: kept(annotations, asked.annotations.slice(0, most)),
      finalizers: [...(finalizers.includes(connectionFinalizer) ? [connectionFinalizer] : []), ...others],
    },
  };
}

function kept(texts: Texts, asked: readonly string[]): Texts {
  const isKept = (name: string, { length }: string) =>
    ours.has(name) ? length <= longestOfOurs : length <= longest && asked.includes(name);
  return Object.fromEntries(Object.entries(texts).filter(([name, value]) => isKept(name, value)));
}
