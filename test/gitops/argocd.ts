import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { inject } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { pages, yamlBlocks } from '../unit/docs/pages.ts';
import { argocdEngine } from './programs.ts';

/** The health check for Argo CD, as docs/install.md has it. */
const customizations = z.object({
  data: z.object({ 'resource.customizations': z.string() }),
});
const health = pages
  .filter(({ path }) => path === 'docs/install.md')
  .flatMap(({ text: page }) => yamlBlocks(page))
  .filter((block) => block.includes('health.lua'))
  .map((block) => customizations.parse(parse(block)).data['resource.customizations'])
  .map((block) => z.record(z.string(), z.object({ 'health.lua': z.string() })).parse(parse(block)))
  .flatMap((byKind) => Object.values(byKind).map((each) => each['health.lua']))
  .join('\n');

const outcome = z.object({
  kind: z.string(),
  name: z.string(),
  status: z.string(),
  message: z.string(),
});

const report = z.object({
  /** Of the sync: `Running` where its time was over. */
  phase: z.string(),
  message: z.string(),
  /** The action of the sync, by object. */
  results: z.array(outcome),
  /** By object: `Synced`, `OutOfSync` with both versions, or `Missing`. */
  compared: z.array(outcome),
  /** By object, the answer of the health check. */
  health: z.array(outcome),
});
export type Report = z.infer<typeof report>;

export interface Application {
  /** Of the objects. It is the name of the Application, too: Argo CD finds its objects in all namespaces by that name. */
  readonly namespace: string;
  readonly objects: readonly object[];
  /** The longest time that a sync may take. 0: the objects are only compared. */
  readonly syncSeconds: number;
  readonly prune?: boolean;
  readonly serverSideApply?: boolean;
}

/** Syncs and compares the objects of an Application with the engine of Argo CD and our health check. */
export function syncWithArgo(asked: Application): Promise<Report> {
  return ask({ application: asked.namespace, ...asked });
}

/** The answers of Argo CD's Lua runtime with our health check, in the order of the objects. */
export async function argoHealthOf(objects: readonly object[]): Promise<Report['health']> {
  return (await ask({ live: objects })).health;
}

async function ask(request: object): Promise<Report> {
  // It keeps what it knows of the API server in its home.
  await using home = await temporaryFolder();
  const child = spawn(await argocdEngine(), {
    env: {
      PATH: process.env['PATH'],
      HOME: home.path,
      KUBECONFIG: inject('controlPlane').kubeconfigPath,
    },
  });
  child.stdin.end(JSON.stringify({ health, ...request }));
  const ended = once(child, 'close');
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  if (child.exitCode !== 0) throw new Error(`argocd-engine: ${stderr}`);
  return report.parse(JSON.parse(stdout));
}
