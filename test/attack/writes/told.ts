import * as z from 'zod';
import type { ResourceType } from '../../../src/runtime/index.ts';
import type { World } from '../../support/world.ts';
import { refusedWords, type Refusal } from './refusals.ts';
import type { Row } from './rows.ts';

/** Whether the operator reports a refused write: on the object where possible, and in the log. */
export async function isTold(
  world: World,
  row: Row,
  { told, status = 500, words: said = refusedWords }: Refusal,
  since: number,
): Promise<boolean> {
  const isInLog = warningsSince(world, since).some(
    (line) => told === 'trouble' || line.includes(said),
  );
  const isPassing = told === 'trouble' || status >= 500;
  if (!row.tells) return isInLog;
  // A create that may have reached the cloud starts a search there, and the object waits for the search.
  const words = [
    told === 'words' ? said : 'Kubernetes',
    ...(isPassing ? ['it is not known yet whether'] : []),
  ];
  const isOnObject = (await wordsOn(world, row)).some((text) =>
    words.some((word) => text.includes(word)),
  );
  return told === 'words' ? isOnObject && isInLog : isOnObject || isInLog;
}

/** The reports in place of the expected report. */
export async function tidings(world: World, row: Row, since: number): Promise<readonly string[]> {
  return [
    ...(await wordsOn(world, row)).map((text) => `object: ${text}`),
    ...warningsSince(world, since)
      .slice(0, 5)
      .map((line) => `log: ${line.slice(0, 300)}`),
  ].concat('end');
}

function warningsSince(world: World, since: number): readonly string[] {
  const line = z.object({ level: z.union([z.number(), z.string()]) });
  return world.log.slice(since).filter((text) => {
    const { level } = line.parse(JSON.parse(text));
    return typeof level === 'number' ? level >= 40 : ['warn', 'error', 'fatal'].includes(level);
  });
}

async function wordsOn(world: World, { tells }: Row): Promise<readonly string[]> {
  if (!tells) return [];
  const [kind, name] = tells;
  const object = await world[kind](name);
  const conditions = (object?.status?.conditions ?? [])
    .filter(({ type }) => type === 'Synced')
    .map(({ reason, message }) => `${reason}: ${message}`);
  const events = (await world.kubernetes.list(eventType, { namespace: world.namespace })).items;
  return [
    ...conditions,
    ...events
      .filter((event) => event.involvedObject.name === name)
      .map(({ reason, message }) => `event ${reason}: ${message}`),
  ];
}

const event = z.object({
  involvedObject: z.object({ name: z.string() }),
  reason: z.string(),
  message: z.string(),
});
const eventType: ResourceType<z.infer<typeof event>> = {
  group: '',
  version: 'v1',
  plural: 'events',
  kind: 'Event',
  parse: (value) => event.parse(value),
};
