import { readFileSync } from 'node:fs';
import * as z from 'zod';

/** `--version`, the user agent and `build_info` use it. */
export interface Version {
  /** Such as `0.1.0`. */
  readonly version: string;
  /** The commit of the bundle; `source` when run from the sources. */
  readonly revision: string;
  /** Such as `26.10.0`. */
  readonly node: string;
}

// Defined by scripts/build.ts.
declare const BUILT_VERSION: string | undefined;
declare const BUILT_REVISION: string | undefined;

export const version: Version = {
  version: typeof BUILT_VERSION === 'string' ? BUILT_VERSION : versionOfSources(),
  revision: typeof BUILT_REVISION === 'string' ? BUILT_REVISION : 'source',
  node: process.versions.node,
};

/** For people: `managed-db-operator 0.1.0 (755b7fc, Node 26.10.0)`. */
export function versionLine({ version: number, revision, node }: Version): string {
  return `managed-db-operator ${number} (${revision}, Node ${node})`;
}

function versionOfSources(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return z.object({ version: z.string() }).parse(JSON.parse(text)).version;
}
