import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import * as z from 'zod';
import { crashPoints, type Life, live, liveStory, type Plan } from './life.ts';
import { describeStep, randomLife, shrunk } from './lives.ts';
import { storyOf } from './play.ts';
import { stories } from './stories.ts';
import { realMilliseconds } from './virtual-globals.ts';
import { harms, weathers } from './weather.ts';

const { values } = parseArgs({
  options: {
    story: { type: 'string', default: 'create' },
    seed: { type: 'string', default: '1' },
    lives: { type: 'string', default: '1' },
    weather: { type: 'string', default: 'calm' },
    replicas: { type: 'string', default: '0' },
    lag: { type: 'string', default: '0' },
    'clocks-apart': { type: 'boolean', default: false },
    harm: { type: 'string', multiple: true },
    call: { type: 'string' },
    calls: { type: 'string' },
    'until-problem': { type: 'boolean', default: false },
    random: { type: 'boolean', default: false },
    steps: { type: 'string' },
    trace: { type: 'string' },
    log: { type: 'string' },
  },
});
const keys = <T extends object>(record: T) => {
  const names = Object.keys(record);
  return z.string().refine((name): name is keyof T & string => names.includes(name), {
    error: `must be one of ${names.join(', ')}`,
  });
};
const whole = z.coerce.number().int().min(0);
const asked = z
  .object({
    story: keys(stories),
    weather: keys(weathers),
    seed: whole,
    lives: whole,
    replicas: whole,
    lag: whole,
    'clocks-apart': z.boolean(),
    harm: z.array(keys(harms)).optional(),
    call: whole.optional(),
    calls: z.string().optional(),
    'until-problem': z.boolean(),
    random: z.boolean(),
    steps: z
      .string()
      .transform((text) => text.split(',').filter(Boolean).map(Number))
      .pipe(z.array(z.int().min(0)))
      .optional(),
    trace: z.string().optional(),
    log: z.string().optional(),
  })
  .parse(values);

process.on('unhandledRejection', (error) => {
  process.stderr.write(`unhandled: ${error instanceof Error ? error.stack : String(error)}\n`);
  process.exitCode = 2;
});

const cpu = process.cpuUsage();
const begun = realMilliseconds();
/** At the last line. */
let cpuBefore = cpu;
let lives = 0;
let events = 0;
let bad = 0;

/** Prints a life. The first life with a problem may end the program. */
function show(life: Life, plan: string, seed: number): Life {
  lives += 1;
  events += life.events;
  if (life.problems.length > 0) bad += 1;
  if (asked.trace !== undefined) writeFileSync(asked.trace, life.trace.join('\n'));
  if (asked.log !== undefined) writeFileSync(asked.log, life.log.join(''));
  const { digest, virtualSeconds, processes, problems } = life;
  const { user, system } = process.cpuUsage(cpuBefore);
  cpuBefore = process.cpuUsage();
  const cpuMs = Math.round((user + system) / 1_000);
  const line = { plan, seed, digest, events: life.events, virtualSeconds, cpuMs };
  const result = { ...line, processes, changes: life.changes.length, problems };
  process.stdout.write(`${JSON.stringify(result)}\n`);
  return life;
}

const shown = {
  keepsTrace: asked.trace !== undefined,
  logLevel: asked.log === undefined ? 'info' : 'debug',
} as const;
const isOver = () => bad > 0 && asked['until-problem'];

/** A story, and then the story with a harm to each call. */
async function liveWithHarms(seed: number): Promise<void> {
  const { story, weather, replicas, lag: listLagMs } = asked;
  const clocksApart = asked['clocks-apart'];
  const plan: Plan = { story, seed, weather, replicas, listLagMs, clocksApart, ...shown };
  const life = show(await live(plan), story, seed);
  const chosen = Object.fromEntries((asked.harm ?? []).map((name) => [name, harms[name]]));
  for (const each of crashPoints(plan, life.changes, chosen)) {
    if (isOver()) return;
    const isAsked =
      asked.call === undefined
        ? new RegExp(asked.calls ?? '', 'u').test(each.name)
        : each.crash?.index === asked.call;
    if (isAsked) show(await live(each), `${story} ${each.name}`, seed);
  }
}

/** A random life. A failing life is shrunk, and printed as a list of steps. */
async function liveAtRandom(seed: number): Promise<void> {
  const life = randomLife(seed);
  const conditions = { ...life.conditions, ...shown };
  const liveWith = (steps: readonly number[]) => liveStory(storyOf(life, steps), conditions);
  const all = asked.steps ?? life.steps.map((_, index) => index);
  const { problems } = show(await liveWith(all), 'random', seed);
  if (problems.length === 0) return;
  const { steps, problems: left } =
    asked.steps || asked['until-problem']
      ? { steps: all, problems }
      : await shrunk({ steps: all, problems }, liveWith);
  const story = [
    `life ${seed}: ${left.join('; ')}`,
    `  ${JSON.stringify(life.conditions)} ${life.cast.join(', ')}`,
    ...life.steps
      .map(describeStep)
      .filter((_, index) => steps.includes(index))
      .map((step) => `  ${step}`),
    `  node test/simulation/run.ts --random --seed ${seed} --steps ${steps.join(',')}`,
  ];
  process.stderr.write(`${story.join('\n')}\n`);
}

for (let seed = asked.seed; seed < asked.seed + asked.lives && !isOver(); seed += 1)
  await (asked.random ? liveAtRandom(seed) : liveWithHarms(seed));

const { user, system } = process.cpuUsage(cpu);
const minutes = (user + system) / 60e6;
process.stderr.write(
  `${lives} lives, ${bad} with problems, ${(lives / minutes).toFixed(0)} lives per CPU minute, ` +
    `${(events / lives).toFixed(0)} events per life, ${((realMilliseconds() - begun) / 1_000).toFixed(1)} s\n`,
);
// Virtual timers do not keep the process alive, but promises of dead processes never settle.
process.exit(bad > 0 ? 1 : (process.exitCode ?? 0));
