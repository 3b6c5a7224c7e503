import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build, type Plugin } from 'esbuild';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** A text in a file of the sources, and the text in its place. */
export interface Replacement {
  /** From the root of the sources. */
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

/**
 * Bundles the program of the simulation, with all packages, and returns the path of the bundle.
 * @param replacements are in the bundle alone: the sources stay unchanged
 * @throws if `from` does not occur exactly once in its file, or if the bundle does not contain the file
 */
export async function bundled(
  folder: string,
  replacements: readonly Replacement[] = [],
): Promise<string> {
  const used = new Set<Replacement>();
  const sources: Plugin = {
    name: 'sources',
    setup(bundler) {
      bundler.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
        if (path.includes('/node_modules/')) return undefined;
        // A file that is read beside a module stays beside the sources.
        const url = JSON.stringify(pathToFileURL(path).href);
        let contents = (await readFile(path, 'utf8')).replaceAll('import.meta.url', url);
        for (const each of replacements) {
          if (join(root, each.file) !== path) continue;
          contents = replaced(contents, each);
          used.add(each);
        }
        return { contents, loader: 'ts' };
      });
    },
  };
  await build({
    entryPoints: [join(root, 'test/simulation/run.ts')],
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    // The import in run.ts must stay an import: the globals are replaced before it.
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    // CommonJS packages ask for Node's own modules with require.
    banner: {
      js: "import{createRequire as makeRequire}from'node:module';const require=makeRequire(import.meta.url);",
    },
    plugins: [sources],
    logLevel: 'silent',
  });
  const unused = replacements.find((each) => !used.has(each));
  if (unused) throw new Error(`the simulation does not use ${unused.file}`);
  return join(folder, 'run.mjs');
}

function replaced(contents: string, { file, from, to }: Replacement): string {
  const parts = contents.split(from);
  if (parts.length === 2) return parts.join(to);
  throw new Error(`${file} has the text ${parts.length - 1} times, not once: ${from}`);
}
