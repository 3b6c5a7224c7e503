import { isDeepStrictEqual } from 'node:util';
import { connectionFinalizer, connectionLabel } from '../../resources/annotations.ts';
import { hasFinalizer } from '../../runtime/index.ts';
import { askedText, type AskedTexts } from '../../resources/asked-texts.ts';
import { connectionData } from './connection-data.ts';
import type { Connection } from '../step/connection.ts';
import { connectionAnnotations } from '../../resources/connection-secret.ts';
import type { ConnectionSecret } from '../situation/observed-secret.ts';

type Texts = Readonly<Record<string, string>>;

/** Whether a Secret is up to date: addresses, user, database, owner, and the labels and annotations in the spec. Pure. */
export function connectionIsCurrent(
  { metadata, values, consistent }: ConnectionSecret,
  connection: Connection,
  id: string,
  clusterUid: string,
  wanted: AskedTexts | undefined,
): boolean {
  return (
    consistent &&
    isDeepStrictEqual(values, connectionData(connection, undefined)) &&
    metadata.annotations?.[connectionAnnotations.id] === id &&
    metadata.annotations[connectionAnnotations.clusterUid] === clusterUid &&
    metadata.labels?.[connectionLabel] === 'true' &&
    hasFinalizer({ metadata }, connectionFinalizer) &&
    metadata.annotations[connectionAnnotations.asked] === askedText(wanted ?? {}) &&
    contains(metadata.labels, wanted?.labels) &&
    contains(metadata.annotations, wanted?.annotations)
  );
}

function contains(all: Texts = {}, some: Texts = {}): boolean {
  return Object.entries(some).every(([key, value]) => all[key] === value);
}
