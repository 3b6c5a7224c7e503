import { connectionLabel, credentialsLabel } from './annotations.ts';
import {
  connectionAnnotations,
  secretShape,
  secretsWithData,
  type SecretWithData,
} from './connection-secret.ts';

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

const ours: ReadonlySet<string> = new Set([
  connectionLabel,
  credentialsLabel,
  ...Object.values(connectionAnnotations),
]);
/** Keeps the labels and annotations of the operator. Other texts may be as large as an object. */
export function watched({ metadata }: WatchedSecret): WatchedSecret {
  return {
    metadata: {
      ...metadata,
      labels: kept(metadata.labels),
      annotations: kept(metadata.annotations),
    },
  };
}

function kept(texts: Texts = {}): Texts {
  return Object.fromEntries(Object.entries(texts).filter(([name]) => ours.has(name)));
}
