import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import * as z from 'zod';
import { crashPoints, type Life, live, type Plan } from './life.ts';
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
let lives = 0;
let events = 0;
let bad = 0;

async function show(plan: Plan, name: string): Promise<Life> {
  const life = await live({ ...plan, keepsTrace: asked.trace !== undefined });
  lives += 1;
  events += life.events;
  if (life.problems.length > 0) bad += 1;
  if (asked.trace !== undefined) writeFileSync(asked.trace, life.trace.join('\n'));
  if (asked.log !== undefined) writeFileSync(asked.log, life.log.join(''));
  const { digest, virtualSeconds, processes, problems } = life;
  const line = { plan: name, seed: plan.seed, digest, events: life.events, virtualSeconds };
  const result = { ...line, processes, changes: life.changes.length, problems };
  process.stdout.write(`${JSON.stringify(result)}\n`);
  return life;
}

for (let seed = asked.seed; seed < asked.seed + asked.lives; seed += 1) {
  const { story, weather, replicas, lag: listLagMs } = asked;
  const plan: Plan = {
    story,
    seed,
    weather,
    replicas,
    listLagMs,
    clocksApart: asked['clocks-apart'],
  };
  const life = await show(plan, story);
  if (!asked.harm) continue;
  const chosen = Object.fromEntries(asked.harm.map((name) => [name, harms[name]]));
  for (const each of crashPoints(plan, life.changes, chosen))
    if (asked.call === undefined || each.crash?.index === asked.call)
      await show(each, `${story} ${each.name}`);
}
const { user, system } = process.cpuUsage(cpu);
const minutes = (user + system) / 60e6;
process.stderr.write(
  `${lives} lives, ${bad} with problems, ${(lives / minutes).toFixed(0)} lives per CPU minute, ` +
    `${(events / lives).toFixed(0)} events per life, ${((realMilliseconds() - begun) / 1_000).toFixed(1)} s\n`,
);
// Virtual timers do not keep the process alive, but promises of dead processes never settle.
process.exit(bad > 0 ? 1 : (process.exitCode ?? 0));
