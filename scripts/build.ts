import { execFile } from 'node:child_process';
import { chmod, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build, type Plugin } from 'esbuild';
import { version } from '../src/operator/version.ts';
import { argumentsOf } from './arguments.ts';
import { thirdPartyNotices } from './third-party-notices.ts';

/**
 * Bundles the operator and the command line for the image: `dist/main.js` and `dist/managed-db.js` (or another folder:
 * the first argument). Beside them are the modules that are loaded on demand, and the licences of all bundled packages.
 * The demo stays out: it needs the sources and builds a control plane.
 *
 *     npm run build -- [--revision REVISION] [FOLDER]
 *
 * `--version` shows the revision. Default: the commit of the clone, `unknown` where there is no git, as in the build of an image.
 */
const { values, positionals } = argumentsOf('npm run build -- [--revision REVISION] [FOLDER]', {
  revision: { type: 'string' },
});
const kubernetesTypes = 'kubernetes-types';
const noDemo = 'no-demo';
const requiredBuiltin = 'required-builtin';
const noHttp2 = 'no-http2';

/** client-node's kubeconfig reader imports the whole generated API, megabytes of it, for two functions. */
const slimKubernetesClient: Plugin = {
  name: 'slim-kubernetes-client',
  setup(bundler) {
    bundler.onResolve({ filter: /gen\/index\.js$/ }, ({ importer, resolveDir }) =>
      importer.endsWith('dist/config.js')
        ? { path: resolveDir, namespace: kubernetesTypes }
        : undefined,
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

/**
 * An ESM import of `node:http` evaluates all its exports, and with its WebSocket loads all of Node's own fetch: 16 MiB
 * without a use. `require` evaluates nothing.
 */
const requiredHttp: Plugin = {
  name: 'required-http',
  setup(bundler) {
    bundler.onResolve({ filter: /^(?:node:)?https?$/ }, ({ kind, path }) =>
      kind === 'require-call' ? undefined : { path, namespace: requiredBuiltin },
    );
    bundler.onLoad({ filter: /.*/, namespace: requiredBuiltin }, ({ path }) => ({
      contents: `module.exports = require(${JSON.stringify(path)})`,
      resolveDir: '.',
    }));
  },
};

/** undici does without HTTP/2 where Node was built without it; nothing here speaks it, and to load it takes some MiB. */
const withoutHttp2: Plugin = {
  name: 'without-http2',
  setup(bundler) {
    bundler.onResolve({ filter: /^node:http2$/ }, ({ path, importer }) =>
      importer.includes('/undici/') ? { path, namespace: noHttp2 } : undefined,
    );
    bundler.onLoad({ filter: /.*/, namespace: noHttp2 }, () => ({
      contents: `throw new Error('HTTP/2 is not used here')`,
    }));
  },
};

const folder = positionals[0] ?? 'dist';
const result = await build({
  entryPoints: { main: 'src/start.js', 'managed-db': 'src/cli/start.js' },
  outdir: folder,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node24',
  minifyWhitespace: true,
  minifySyntax: true,
  // Names stay as they are: a stack trace can be read without the source maps, which take 46 MiB once they are loaded.
  sourcemap: true,
  // CommonJS packages among the dependencies ask for Node's own modules with require.
  banner: {
    js: "import{createRequire as makeRequire}from'node:module';const require=makeRequire(import.meta.url);",
  },
  define: {
    BUILT_VERSION: JSON.stringify(version.version),
    BUILT_REVISION: JSON.stringify(values.revision ?? (await commit())),
    BUILT_API_DOCUMENT: JSON.stringify(await readFile('docs/reference/openapi.yaml', 'utf8')),
  },
  plugins: [slimKubernetesClient, withoutDemo, requiredHttp, withoutHttp2],
  legalComments: 'linked',
  logLevel: 'warning',
  metafile: true,
});
await chmod(join(folder, 'managed-db.js'), 0o755);
await writeFile(
  join(folder, 'THIRD-PARTY-NOTICES.txt'),
  await thirdPartyNotices(Object.keys(result.metafile.inputs)),
);
for (const file of Object.keys(result.metafile.outputs).filter((name) => name.endsWith('.js'))) {
  const { size } = await stat(file);
  process.stdout.write(`${file} ${(size / 1_000).toFixed(0)} kB\n`);
}

/** The commit of the clone; marked where files differ from it. */
async function commit(): Promise<string> {
  const described = await promisify(execFile)('git', [
    'describe',
    '--always',
    '--abbrev=12',
    '--exclude=*',
    '--dirty',
  ]).catch(() => undefined);
  return described?.stdout.trim() ?? 'unknown';
}
