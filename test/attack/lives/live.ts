import type { OperatorSettings } from '../../../src/operator/operator.ts';
import { startWorld, type World } from '../../support/world.ts';
import { letPass } from '../../support/let-pass.ts';
import { add, allowance } from './allowance.ts';
import { crew } from './crew.ts';
import { kindOf, lifeOf, specIn, type Life } from './life.ts';
import { problemsAtRest, problemsInTheEnd, quietly } from './oracle.ts';
import { people } from './people.ts';
import { seeded } from './random.ts';
import type { Scene } from './scene.ts';
import { removeAll, settle } from './settle.ts';
import { tenantOf } from './tenant.ts';
import { takeStep } from './take-step.ts';

export interface Lived {
  readonly problems: readonly string[];
  /** The events of the life in order, with policy time. */
  readonly story: readonly string[];
  readonly log: readonly string[];
}

/** How many times as fast policy runs: calls still have to be short against two minutes of it. */
const speed = 20;

/** Lives the life of a seed. @param only the indices of the steps to take. Default: all */
export async function live(seed: number, only?: readonly number[]): Promise<Lived> {
  const life = lifeOf(seed);
  const { includeReplicaSets, ...cloud } = life.cloud;
  await using world = await startWorld({
    start: false,
    speed,
    ...cloud,
    settings: settingsOf(life),
  });
  const begun = world.clock.now();
  const story: string[] = [];
  const tell = (words: string) =>
    void story.push(`${((world.clock.now() - begun) / 1_000).toFixed(1)} s: ${words}`);
  world.project.includeReplicaSets = includeReplicaSets;
  await using operators = crew(world, seeded(seed + 1), tell);
  await using tenant = await tenantOf(world);
  const allowed = allowance();
  collectPasswords(world, allowed.passwords);
  const scene: Scene = {
    life,
    world,
    people: people(world, tenant),
    crew: operators,
    allowed,
    bystanders: await bystanders(world),
    saved: new Map(),
    tell,
  };
  tell(
    `${life.cast.join(', ')}; ${JSON.stringify(life.cloud)}${life.hasOwnKey ? ', own key' : ''}${life.hasChosenNames ? ', chosen names' : ''}`,
  );
  const problems: string[] = [];
  try {
    await begin(scene);
    for (const [index, step] of life.steps.entries()) {
      if (only && !only.includes(index)) continue;
      const told = await takeStep(scene, step);
      tell(`[${index}] ${JSON.stringify(step)}: ${told}`);
      if (step.pauseMs > 0) await letPass(world, step.pauseMs);
    }
    tell('all harm ends');
    await settle(scene);
    tell('all is ready');
    problems.push(...(await quietly(scene, 'at rest')), ...(await problemsAtRest(scene)));
    await removeAll(scene);
    tell('all is gone');
    problems.push(
      ...(await quietly(scene, 'when all is gone')),
      ...(await problemsInTheEnd(scene)),
    );
  } catch (error) {
    problems.push(String(error));
  }
  return { problems, story, log: world.log };
}

async function begin({
  life,
  people: hands,
  crew: operators,
  world,
  allowed,
}: Scene): Promise<void> {
  await hands.putSecret('key', { apiKey: world.project.apiKey });
  await operators.start();
  for (const name of life.cast) {
    add(allowed.asked, name);
    await hands.create(name, specIn(life, name, life.specs[name]));
  }
  if (!life.beginsReady) return;
  for (const name of life.cast) await world.untilReady(kindOf[name], name);
}

/** Under chosen names, only a user who may adopt can resolve an unanswered create. */
function settingsOf({ operatorIs }: Life): Partial<OperatorSettings> {
  const options = {
    deletionPolicy: 'Delete',
    managementPolicy: 'Manage',
    acceptedClusters: [],
  } as const;
  return { options: { ...options, sharedProjectAdoption: operatorIs === 'trusting' } };
}

/** A service and a VPC of another owner in the same project. @returns their ids */
async function bystanders(world: World): Promise<readonly string[]> {
  await world.createInCloud('services', { name: 'orders', cpu_millis: '1000', memory_gbs: '4' });
  await world.createInCloud('vpcs', {
    name: 'prod',
    cidr: '10.9.0.0/16',
    region_code: 'eu-central-1',
  });
  return world.project.everCreated.map(({ id }) => id);
}

/** Every password that the cloud ever makes up. */
function collectPasswords({ project: { stores } }: World, passwords: Set<string>): void {
  const put = stores.service.set.bind(stores.service);
  stores.service.set = (id, service) => {
    passwords.add(service.password);
    return put(id, service);
  };
}
