import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { promisify } from 'node:util';
import { build, type Plugin } from 'esbuild';
import { version } from '../src/operator/version.ts';
import { argumentsOf } from './arguments.ts';

/**
 * Bundles the operator for the image: `dist/main.js` (or another folder: the first argument), and beside it what is loaded only when asked for.
 * The demo stays out: it needs the sources and builds a control plane.
 *
 *     npm run build -- [--revision REVISION] [FOLDER]
 *
 * The revision is what `--version` tells. Default: the commit of the clone, `unknown` where there is no git, as in the build of an image.
 */
const { values, positionals } = argumentsOf('npm run build -- [--revision REVISION] [FOLDER]', { revision: { type: 'string' } });
const kubernetesTypes = 'kubernetes-types';
const noDemo = 'no-demo';

/** client-node's kubeconfig reader imports the whole generated API, megabytes of it, for two functions. */
const slimKubernetesClient: Plugin = {
  name: 'slim-kubernetes-client',
  setup(bundler) {
    bundler.onResolve({ filter: /gen\/index\.js$/ }, ({ importer, resolveDir }) =>
      importer.endsWith('dist/config.js') ? { path: resolveDir, namespace: kubernetesTypes } : undefined,
    );
    bundler.onLoad({ filter: /.*/, namespace: kubernetesTypes }, ({ path }) => ({
      contents: `export { createConfiguration } from './gen/configuration.js'; export { ServerConfiguration } from './gen/servers.js';`,
      resolveDir: path,
    }));
  },
};

const withoutDemo: Plugin = {
  name: 'without-demo',
  setup(bundler) {
    bundler.onResolve({ filter: /\/demo\/demo\.ts$/ }, () => ({ path: noDemo, namespace: noDemo }));
    bundler.onLoad({ filter: /.*/, namespace: noDemo }, () => ({
      contents: `export async function runDemo(_argv, { stderr }) { stderr.write('The demo runs from a clone of the sources: npm ci && npm run demo\\n'); return 2; }`,
    }));
  },
};

const result = await build({
  entryPoints: { main: 'src/start.js' },
  outdir: positionals[0] ?? 'dist',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node24',
  minify: true,
  keepNames: true,
  sourcemap: true,
  // CommonJS packages among the dependencies ask for Node's own modules with require.
  banner: { js: "import{createRequire as makeRequire}from'node:module';const require=makeRequire(import.meta.url);" },
  define: { BUILT_VERSION: JSON.stringify(version.version), BUILT_REVISION: JSON.stringify(values.revision ?? (await commit())) },
  plugins: [slimKubernetesClient, withoutDemo],
  legalComments: 'linked',
  logLevel: 'warning',
  metafile: true,
});
for (const file of Object.keys(result.metafile.outputs).filter((name) => name.endsWith('.js'))) {
  const { size } = await stat(file);
  process.stdout.write(`${file} ${(size / 1_000).toFixed(0)} kB\n`);
}

/** The commit of the clone; marked where files differ from it. */
async function commit(): Promise<string> {
  const described = await promisify(execFile)('git', ['describe', '--always', '--abbrev=12', '--exclude=*', '--dirty']).catch(
    () => undefined,
  );
  return described?.stdout.trim() ?? 'unknown';
}
