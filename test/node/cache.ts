import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

// An empty variable counts as unset, as the XDG specification has it.
const cacheHome = process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache');

/** All that the tests of the node write to the machine's disk is in this folder. */
export const cache = join(cacheHome, 'managed-db-operator', 'node');
/** Images and layers of buildah. */
export const storage = join(cache, 'storage');
/** The node's own files. A run begins and ends without them. */
export const state = join(cache, 'state');
/** Temporary files: those of a process that was killed are removed with the node's files. */
export const temporary = join(state, 'tmp');
/** The logs of the last run stay. */
export const logs = join(cache, 'log');

/** The folder of the clone. */
export const root = fileURLToPath(new URL('../..', import.meta.url));
