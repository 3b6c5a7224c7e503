import * as z from 'zod';
import { crashPoints, live, type Plan, type StoryName } from './life.ts';
import { stories } from './stories.ts';
import { harms } from './weather.ts';

/**
 * Lives each story of a part plainly, and with a harm to every nth change. The harm changes from change to change. With
 * `every` 1, each change gets each harm. Prints a line of JSON for each life: its replay, its digest and its problems.
 */
const { part, parts, every } = z
  .object({ part: whole(), parts: whole().min(1), every: whole().min(1) })
  .parse({ part: process.argv[2], parts: process.argv[3], every: process.argv[4] });

function whole() {
  return z.coerce.number().int().min(0);
}

const isStory = (name: string): name is StoryName => name in stories;

/** @param replay the arguments of `run.ts` for this life alone */
async function told(plan: Plan, replay: string) {
  const life = await live(plan);
  const { digest, problems } = life;
  process.stdout.write(`${JSON.stringify({ replay, digest, problems })}\n`);
  return life;
}

const kinds = Object.keys(harms);
for (const [nth, story] of Object.keys(stories).filter(isStory).entries()) {
  if (nth % parts !== part) continue;
  const plan: Plan = {
    story,
    seed: 1,
    weather: 'calm',
    replicas: 0,
    listLagMs: 0,
    clocksApart: false,
  };
  const { changes } = await told(plan, `--story ${story}`);
  const points = crashPoints(plan, changes, harms).filter((_, index) => {
    const call = Math.floor(index / kinds.length);
    const isChosen = (call + nth) % every === 0;
    const harm = (Math.floor(call / every) + nth * 3) % kinds.length;
    return isChosen && (every === 1 || index % kinds.length === harm);
  });
  for (const { crash, name, ...point } of points) {
    if (!crash) continue;
    const harm = name.split(' ').at(-1) ?? '';
    await told({ ...point, crash }, `--story ${story} --harm ${harm} --call ${crash.index}`);
  }
}
// Promises of dead processes never settle.
process.exit(0);
