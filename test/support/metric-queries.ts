import { readdir, readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import * as z from 'zod';

const root = new URL('../../', import.meta.url);
const files = 'deploy/helm/managed-db-operator/files';

/** A PromQL query and its place. */
export interface Query {
  readonly where: string;
  readonly expr: string;
}

const alert = z.object({
  alert: z.string(),
  expr: z.string(),
  for: z.string().optional(),
  labels: z.object({ severity: z.enum(['critical', 'warning', 'info']) }),
  annotations: z.object({ summary: z.string(), description: z.string() }),
});
export type Alert = z.infer<typeof alert>;

export const pathOfAlerts = `${files}/alerts.yaml`;

export async function alerts(): Promise<readonly Alert[]> {
  const { groups } = z
    .object({ groups: z.array(z.object({ rules: z.array(alert) })) })
    .parse(parse(await text(pathOfAlerts)));
  return groups.flatMap(({ rules }) => rules);
}

const variable = z.object({
  name: z.string(),
  type: z.string(),
  definition: z.string().optional(),
});
const panel = z.object({
  id: z.number(),
  type: z.string(),
  title: z.string(),
  datasource: z.object({ uid: z.string() }).optional(),
  gridPos: z.object({ x: z.number(), y: z.number(), w: z.number(), h: z.number() }),
  targets: z
    .array(z.object({ expr: z.string(), datasource: z.object({ uid: z.string() }) }))
    .optional(),
});

export async function dashboard() {
  const schema = z.object({
    uid: z.string(),
    schemaVersion: z.number(),
    panels: z.array(panel),
    templating: z.object({ list: z.array(variable) }),
  });
  return schema.parse(JSON.parse(await text(`${files}/dashboard.json`)));
}

export async function runbooks(): Promise<readonly string[]> {
  return (await readdir(new URL('docs/runbooks', root))).filter((name) => name !== 'README.md');
}

/** Every query for users: in alerts, dashboard and runbooks. */
export async function allQueries(): Promise<readonly Query[]> {
  const ofAlerts = (await alerts()).map(({ alert: name, expr }) => ({ where: name, expr }));
  const ofPanels = (await dashboard()).panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr }) => ({ where: `panel ${title}`, expr })),
  );
  const pages = await Promise.all(
    (await runbooks()).map(async (name) => ({ name, page: await text(`docs/runbooks/${name}`) })),
  );
  const ofPages = pages.flatMap(({ name, page }) =>
    blocksOf(page, 'promql').map((expr) => ({ where: name, expr })),
  );
  return [...ofAlerts, ...ofPanels, ...ofPages];
}

/** The commands in runbooks. */
export async function allCommands(): Promise<readonly string[]> {
  const pages = await Promise.all((await runbooks()).map((name) => text(`docs/runbooks/${name}`)));
  return pages.flatMap((page) => blocksOf(page, 'sh').flatMap((block) => block.split('\n')));
}

/** The names of metrics in a query: every name that is no function, keyword, label or text. */
export function metricNamesIn(expr: string): ReadonlySet<string> {
  const bare = expr
    .replaceAll(/"(?:[^"\\]|\\.)*"/gu, '""')
    .replaceAll(/\{[^}]*\}/gu, '')
    .replaceAll(/\[[^\]]*\]/gu, '')
    .replaceAll(/\b(?:by|on|without|group_left|group_right) \([^)]*\)/gu, '');
  return new Set(bare.match(/\b[a-z]\w*_\w+\b(?!\s*\()/gu) ?? []);
}

/** A series whose growth a query asks for, with the labels that the query names. */
export interface Watched {
  readonly name: string;
  readonly labels: readonly { readonly name: string; readonly isRight: RegExp }[];
}

/** The series whose growth alerts watch. Not those that they only divide by. */
export async function watchedForGrowth(): Promise<readonly Watched[]> {
  const asked = (await alerts()).flatMap(({ expr }) => [
    ...expr.matchAll(/\b(rate|increase)\((\w+)(?:\{([^}]*)\})?\[/gu),
  ]);
  return asked.flatMap(([, how, name = '', selector = '']) => {
    const labels = [...selector.matchAll(/(\w+)=(~?)"([^"]*)"/gu)].map(
      ([, label = '', , value = '']) => ({
        name: label,
        isRight: new RegExp(`^(?:${value})$`, 'u'),
      }),
    );
    return how === 'rate' && labels.length === 0
      ? []
      : [{ name: name.replace(/_count$/u, ''), labels }];
  });
}

function blocksOf(page: string, language: string): readonly string[] {
  return [...page.matchAll(/^```(\w+)\n(.*?)\n```$/gmsu)]
    .filter(([, name]) => name === language)
    .map(([, , block = '']) => block);
}

function text(path: string): Promise<string> {
  return readFile(new URL(path, root), 'utf8');
}
