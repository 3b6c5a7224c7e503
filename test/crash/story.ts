import { scale } from '../attack/scale.ts';
import { inParallel } from '../support/in-parallel.ts';
import { until } from '../support/until.ts';
import { startWorld, type World } from '../support/world.ts';
import { fence, isCloudCall, type Fence, type Harm, type Plan } from './fence.ts';

/** A task of an operator, and the checks of its result. The checks count effects, not calls. */
export interface Story {
  /** The setup, by a healthy operator, before the story begins. */
  readonly before?: (world: World) => Promise<void>;
  /** The actions of users. */
  readonly told: (world: World) => Promise<void>;
  /** Events without an operator: between the death of the first operator and the start of the second. */
  readonly meanwhile?: (world: World) => Promise<void>;
  /** The problems at the end. `second` is the operator that continues after the death of the first. */
  readonly problems: (
    world: World,
    told: { readonly plan: Plan | undefined; readonly second: Fence },
  ) => Promise<readonly string[]>;
}

export interface Told {
  /** Mutating calls of the first operator. */
  readonly calls: readonly string[];
  readonly problems: readonly string[];
}

/** More at once take longer than a wait may: each plan is a whole operator with its own cloud. */
const plansAtOnce = 6;
const everyHarm: readonly Harm[] = ['beforeSent', 'replyLost', 'afterReply', 'answerLost'];

/** `npm test` harms every nth call of Kubernetes. */
const every = 4;

/**
 * Runs a story without harm, and then with harms at its changing calls. The attack gives each call each harm. `npm test` gives
 * each call of the cloud, and every fourth call of Kubernetes, a single harm: test/simulation harms these calls, too.
 * @returns the problems, by plan
 */
export async function tellWithEveryHarm(
  story: Story,
  harms: readonly Harm[] = everyHarm,
): Promise<{ readonly points: readonly string[]; readonly problems: object }> {
  const reference = await tell(story, undefined);
  if (reference.problems.length > 0)
    return { points: [], problems: { 'without harm': reference.problems } };
  // How often status is written depends on when it is looked at.
  const points = reference.calls.filter(
    (call) => !call.includes('/status ') || call.endsWith('/status #1'),
  );
  const plans = points.flatMap((call, nth): Plan[] => {
    const fitting = isCloudCall(call) ? harms : harms.filter((harm) => harm !== 'answerLost');
    const isChosen = isCloudCall(call) || nth % every === 0;
    const chosen = fitting.filter((_, at) => isChosen && at === nth % fitting.length);
    return (scale.isWhole ? fitting : chosen).map((harm) => ({ call, harm }));
  });
  const problems: Record<string, readonly string[]> = {};
  await inParallel(plans, plansAtOnce, async (plan) => {
    const told = await tell(story, plan);
    if (told.problems.length > 0) problems[`${plan.call}, ${plan.harm}`] = told.problems;
  });
  return { points, problems };
}

async function tell(story: Story, plan: Plan | undefined): Promise<Told> {
  await using world = await startWorld({ start: false });
  const first = fence(plan);
  const second = fence();
  try {
    if (story.before) {
      await world.startedOperator();
      await story.before(world);
      await world.stopOperators();
    }
    await world.startedOperator({ intercept: first.intercept, isDead: () => first.isDead });
    const goOn = async () => {
      await story.meanwhile?.(world);
      return world.startOperator({ intercept: second.intercept });
    };
    void first.died.then(goOn);
    await story.told(world);
    // The number of writes to an object depends on its other writers. Only calls to the cloud, and the first write of
    // each kind, occur in every run. A status is written only if it lasts.
    const isStatus = plan?.call.includes('/status ') === true;
    const isCertain =
      plan !== undefined && (isCloudCall(plan.call) || (plan.call.endsWith(' #1') && !isStatus));
    // The effect of the last call may be visible before its reply.
    if (isCertain) await until('the call to be made', () => first.isHarmed);
    return { calls: first.calls, problems: await story.problems(world, { plan, second }) };
  } catch (error) {
    return { calls: first.calls, problems: [String(error)] };
  }
}

/** Sentences about the facts that differ from the wanted facts. */
export function differences(
  facts: readonly (readonly [what: string, seen: unknown, wanted: unknown])[],
): readonly string[] {
  return facts
    .filter(([, seen, wanted]) => JSON.stringify(seen) !== JSON.stringify(wanted))
    .map(
      ([what, seen, wanted]) => `${what} is ${JSON.stringify(seen)}, not ${JSON.stringify(wanted)}`,
    );
}
