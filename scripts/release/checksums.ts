import { hash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The SHA-256 of a file, in hexadecimal digits. */
export async function sha256(path: string): Promise<string> {
  return hash('sha256', await readFile(path));
}

/** A line for each file of the folder, sorted by name, in the format of `sha256sum`. Folders do not count. */
export async function checksums(folder: string): Promise<string> {
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isFile()).map(({ name }) => name);
  const files = names.filter((name) => name !== 'checksums.txt').toSorted();
  const lines = files.map(async (name) => `${await sha256(join(folder, name))}  ${name}\n`);
  return (await Promise.all(lines)).join('');
}
