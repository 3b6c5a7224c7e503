import { version, versionLine } from '../../operator/version.ts';
import { explained } from '../explained.ts';
import { openCluster, type ClusterChoice } from '../read/cluster.ts';
import { operatorVersions } from '../read/settings.ts';
import type { Session } from '../session.ts';

export type VersionFlags = ClusterChoice;

/** The version of this program, such as `managed-db 0.1.0 (755b7fc, Node 26.10.0)`. */
export function programLine(): string {
  return versionLine(version).replace(/^\S+/u, 'managed-db');
}

/** Prints the versions. @returns 0, also if no cluster is reached */
export async function versionCommand(
  flags: VersionFlags,
  { stdout, signal }: Session,
): Promise<number> {
  stdout.write(`${programLine()}, time zone data ${process.versions['tz']}\n`);
  stdout.write(`operator: ${await operatorLine(flags, signal)}\n`);
  return 0;
}

async function operatorLine(flags: VersionFlags, signal: AbortSignal): Promise<string> {
  try {
    await using cluster = openCluster(flags);
    const found = await operatorVersions(cluster.client);
    return found.length === 0 ? 'no Deployment found' : found.join(', ');
  } catch (error) {
    const why = explained(error, signal);
    if (why === undefined) throw error;
    return `not reached: ${why}`;
  }
}
