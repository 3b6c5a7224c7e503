import type { FaultInput } from '../../src/simulator/faults.ts';
import type { Kind } from '../../src/resources/managed-object.ts';
import { seeded, type Random } from '../attack/lives/random.ts';
import { randomFault } from '../attack/lives/random-fault.ts';
import { peering, replicaSet, service, vpc } from '../support/manifests.ts';
import type { Conditions, Life } from './life.ts';

/** The objects that a random life may have. */
export const objectNames = ['prod', 'orders', 'billing', 'reads'] as const;
export type ObjectName = (typeof objectNames)[number];
export type Spec = Readonly<Record<string, unknown>>;

export const kindOf: Readonly<Record<ObjectName, Kind>> = {
  prod: 'ManagedVpc',
  orders: 'ManagedService',
  billing: 'ManagedService',
  reads: 'ReplicaSet',
};

/** An action of a user, the cloud or the machine. Plain data, so that a failing life can be printed. */
export type Action =
  | { readonly does: 'edit'; readonly name: ObjectName; readonly change: Spec }
  /** `retain`: with `deletionPolicy: Retain`, set right before. */
  | { readonly does: 'delete'; readonly name: ObjectName; readonly retain: boolean }
  /** Applies the object if it does not exist. `adopts`: with the id of the resource that it had last. */
  | { readonly does: 'apply'; readonly name: ObjectName; readonly adopts: boolean }
  /** Deletes the object, and applies it again as soon as it is gone. */
  | { readonly does: 'replace'; readonly name: ObjectName }
  /** Deletes the connection Secret, or its content. */
  | { readonly does: 'secret'; readonly name: ObjectName; readonly how: 'delete' | 'wipe' }
  /** The user's Secret with a password. */
  | { readonly does: 'source'; readonly password: string }
  /** Another client deletes the resource in the cloud. */
  | { readonly does: 'lose'; readonly name: ObjectName }
  | { readonly does: 'fault'; readonly fault: FaultInput }
  /** A gateway answers half of the requests to the cloud with its 404 page, and lists lack a resource. */
  | { readonly does: 'gateway'; readonly forMs: number }
  | { readonly does: 'watches'; readonly how: 'break' | 'silence' | 'expire' }
  | { readonly does: 'kill' }
  | { readonly does: 'freeze'; readonly forMs: number };

export type Step = Action & {
  /** The time before the action. */
  readonly afterMs: number;
};

/** The users' part of a random life. */
export interface RandomLife {
  readonly conditions: Conditions;
  readonly cast: readonly ObjectName[];
  readonly steps: readonly Step[];
}

const small = { environment: 'DEV', cpuMillis: 1_000, memoryGbs: 4 };

/** The object as a user applies it. In the end of a life, each object has this spec again. */
export function manifestOf(
  name: ObjectName,
  cast: readonly ObjectName[],
  annotations: Readonly<Record<string, string>> = {},
) {
  switch (name) {
    case 'prod':
      return vpc('prod', { peerings: [peering] }, annotations);
    case 'reads':
      return replicaSet('reads', 'orders', { nodes: 1, environment: 'DEV' }, annotations);
    case 'orders': {
      const place = cast.includes('prod') ? { vpcRef: { name: 'prod' } } : {};
      return service('orders', { ...small, ...place }, annotations);
    }
    case 'billing':
      return service('billing', small, annotations);
  }
}

/** The life of a seed. The same seed gives the same life, of which a caller may leave out steps. */
export function randomLife(seed: number): RandomLife {
  const random = seeded(seed * 31 + 5);
  const cast: ObjectName[] = ['orders'];
  if (random.happens(0.4)) cast.unshift('prod');
  if (random.happens(0.4)) cast.push('reads');
  if (random.happens(0.4)) cast.push('billing');
  const conditions: Conditions = {
    seed,
    weather: random.pick(['calm', 'calm', 'rough']),
    replicas: random.pick([0, 0, 2]),
    listLagMs: random.pick([0, 0, 4_000, 40_000]),
    clocksApart: random.happens(0.2),
  };
  const steps = Array.from({ length: random.between(3, 12) }, () =>
    randomStep(random, cast, conditions),
  );
  return { conditions, cast, steps };
}

function randomStep(random: Random, cast: readonly ObjectName[], { replicas }: Conditions): Step {
  const afterMs = random.weighted([
    [2, 0],
    [4, random.between(100, 3_000)],
    [3, random.between(3_000, 20_000)],
    [1, random.between(20_000, 150_000)],
  ]);
  const name = random.pick<ObjectName>(['orders', ...cast]);
  const act = random.weighted<() => Action>([
    [10, () => ({ does: 'edit', name, change: randomChange(random, name, cast) })],
    [3, () => ({ does: 'delete', name, retain: random.happens(0.4) })],
    [3, () => ({ does: 'apply', name, adopts: random.happens(0.6) })],
    [2, () => ({ does: 'replace', name })],
    [2, () => ({ does: 'secret', name, how: random.pick(['delete', 'wipe']) })],
    [1, () => ({ does: 'source', password: randomPassword(random) })],
    [1, () => ({ does: 'lose', name })],
    [5, () => ({ does: 'fault', fault: moreFaults(random) })],
    [2, () => ({ does: 'gateway', forMs: random.between(5_000, 60_000) })],
    [2, () => ({ does: 'watches', how: random.pick(['break', 'silence', 'expire']) })],
    [3, () => ({ does: 'kill' })],
    // Without an election, nothing may act beside a frozen process.
    [
      replicas === 0 ? 0 : 4,
      () => ({ does: 'freeze', forMs: random.pick([20_000, 40_000, 230_000]) }),
    ],
  ]);
  return { ...act(), afterMs };
}

/** Part of a spec; null removes a field. */
function randomChange(random: Random, name: ObjectName, cast: readonly ObjectName[]): Spec {
  const text = `t${random.between(1, 99)}`;
  const ofAll: [number, Spec][] = [
    [1, { suspend: random.pick([true, null]) }],
    [1, { managementPolicy: random.pick(['Observe', null]) }],
    [2, { deletionPolicy: random.pick(['Retain', 'Delete', null]) }],
  ];
  if (name === 'prod')
    return random.weighted<Spec>([
      [3, { peerings: null }],
      [3, { peerings: [peering, { ...peering, peerVpcId: 'vpc-2' }] }],
      ...ofAll,
    ]);
  const sized: [number, Spec][] = [
    [3, { cpuMillis: random.pick([1_000, 2_000, 3_000]) }],
    [1, { environment: random.pick(['DEV', 'PROD']) }],
    [
      2,
      {
        connectionSecret: random.pick<Spec | null>([
          { name: `${name}-elsewhere` },
          { labels: { app: text } },
          null,
        ]),
      },
    ],
    ...ofAll,
  ];
  if (name === 'reads')
    return random.weighted<Spec>([[1, { nodes: random.pick([1, 2]) }], ...sized]);
  const place = cast.includes('prod') ? random.pick([{ name: 'prod' }, null]) : null;
  return random.weighted<Spec>([
    [5, { password: { rotation: text, secretRef: null } }],
    [2, { password: { secretRef: { name: 'source' }, rotation: null } }],
    [2, { powerState: random.pick(['Stopped', 'Running', null]) }],
    [2, { vpcRef: place }],
    ...sized,
  ]);
}

/** Base64. Some passwords are not text. */
function randomPassword(random: Random): string {
  return random.happens(0.2)
    ? Buffer.from([0x70, 0xe4, 0x73, 0x73, 0x77, 0xf6, 0x72, 0x74, 0x31, 0x32]).toString('base64')
    : Buffer.from(`of-a-user-${random.between(1, 9)}`).toString('base64');
}

/** Also the faults that only virtual time allows. */
function moreFaults(random: Random): FaultInput {
  const times = random.between(1, 4);
  return random.weighted<() => FaultInput>([
    [4, () => randomFault(random)],
    [
      1,
      () => ({ kind: 'notYet', operation: '*', ageMs: random.between(5_000, 90_000), times: 40 }),
    ],
    [
      1,
      () => ({
        kind: 'delay',
        operation: random.pick(['createService', 'updateServicePassword', 'deleteService']),
        delayMs: random.between(5_000, 100_000),
        times,
      }),
    ],
    [1, () => ({ kind: 'truncatedList', operation: 'listServices', drop: 1, times: times * 3 })],
  ])();
}

/** A failing life, after the removal of the steps that it does not need. */
export interface Shrunk {
  /** The indices of the steps that are left, as `--steps` takes them. */
  readonly steps: readonly number[];
  readonly problems: readonly string[];
}

/**
 * Removes steps as long as the life fails with a problem of the same kind.
 * @param liveWith lives the steps with these indices
 * @param most the lives that it may take
 */
export async function shrunk(
  failed: Shrunk,
  liveWith: (steps: readonly number[]) => Promise<Pick<Life, 'problems'>>,
  most = 60,
): Promise<Shrunk> {
  let best = failed;
  let left = most;
  const wanted = new Set(failed.problems.map(kindOfProblem));
  for (let size = Math.ceil(best.steps.length / 2); size >= 1; size = Math.floor(size / 2)) {
    for (let from = 0; from < best.steps.length && left > 0;) {
      left -= 1;
      const steps = best.steps.toSpliced(from, size);
      const { problems } = await liveWith(steps);
      if (problems.some((each) => wanted.has(kindOfProblem(each)))) best = { steps, problems };
      else from += size;
    }
  }
  return best;
}

/** The problem without its ids, names and numbers. */
export function kindOfProblem(problem: string): string {
  return problem.replaceAll(/\b(?=\w*\d)[\w-]+/gu, '#').slice(0, 80);
}

/** Such as `3. after 1,500 ms: delete orders retain=true`. */
export function describeStep({ afterMs, does, ...rest }: Step, index: number): string {
  const parts = Object.entries(rest).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  return `${index}. after ${afterMs} ms: ${[does, ...parts].join(' ')}`;
}
