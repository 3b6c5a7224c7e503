import type { FaultInput } from '../../../src/simulator/faults.ts';
import { peering } from '../../support/manifests.ts';
import { serviceChanges } from '../../support/service-values.ts';
import type { WorldKind } from '../../support/world.ts';
import type { Trap } from './process.ts';
import { seeded, type Random } from './random.ts';
import { randomTrap } from './random-trap.ts';
import { randomFault } from './random-fault.ts';

export type Name = 'prod' | 'orders' | 'copy' | 'reads';
export type Spec = Readonly<Record<string, unknown>>;

export const kindOf: Readonly<Record<Name, WorldKind>> = {
  prod: 'vpc',
  orders: 'service',
  copy: 'service',
  reads: 'replicaSet',
};

/** An action of people, the cloud, Kubernetes or the machine. */
export type Step = { readonly pauseMs: number } & (
  | { readonly does: 'edit'; readonly name: Name; readonly change: Spec }
  /** `kubectl replace` removes each field that is missing from the manifest, annotations and finalizers too. */
  | { readonly does: 'replace'; readonly name: Name; readonly by: Hands }
  | {
      readonly does: 'strip';
      readonly name: Name;
      readonly what: 'pointer' | 'finalizer';
      readonly by: Hands;
    }
  | { readonly does: 'sync'; readonly name: Name }
  | { readonly does: 'delete'; readonly name: Name; readonly retain: boolean }
  /** Applies a deleted object again, as a restore does or as a new object. */
  | { readonly does: 'apply'; readonly name: Name; readonly restored: boolean }
  | { readonly does: 'secret'; readonly name: Name; readonly how: SecretHarm }
  | { readonly does: 'source' }
  /** The Secret with the API key, where objects name it. */
  | { readonly does: 'key'; readonly is: 'wrong' | 'right' | 'deleted' }
  /** The cloud is busy with a service on its own account. */
  | { readonly does: 'busy'; readonly name: Name; readonly status: string; readonly forMs: number }
  /** Taken away behind everybody's back. */
  | { readonly does: 'lose'; readonly name: Name }
  /** Changed in the cloud by another client. */
  | { readonly does: 'drift'; readonly name: Name }
  | { readonly does: 'fault'; readonly fault: FaultInput }
  | { readonly does: 'trap'; readonly trap: Trap }
  | { readonly does: 'kill' | 'restart' }
  | { readonly does: 'freeze'; readonly forMs: number }
);
/** The actor: a user with the role edit, or the administrator, as delivery tools are. */
export type Hands = (typeof hands)[number];
const hands = ['tenant', 'admin'] as const;
/** `rename`: a copy under another name replaces the Secret. */
export type SecretHarm = (typeof secretHarms)[number];

/** A world and all that happens in it, from a seed alone. */
export interface Life {
  readonly seed: number;
  readonly cast: readonly Name[];
  /** Whether the objects name a Secret with an API key, or use the operator's. */
  readonly hasOwnKey: boolean;
  /** Whether names in the cloud are chosen: then they are no proof of anything. */
  readonly hasChosenNames: boolean;
  /** Trusting: each object may adopt any resource of the project. */
  readonly operatorIs: 'usual' | 'trusting';
  /** Whether all is well at first. */
  readonly beginsReady: boolean;
  readonly cloud: {
    readonly latencyMs: number;
    readonly deleteLatencyMs: number;
    readonly listLagMs: number;
    readonly includeReplicaSets: boolean;
    readonly endpointAtOnce: boolean;
  };
  readonly specs: Readonly<Record<Name, Spec>>;
  readonly steps: readonly Step[];
}

/** The spec that each object has in the end, after any edits of the life. */
export const restingSpecs: Readonly<Record<Name, Spec>> = {
  prod: { cidr: '10.0.0.0/16', regionCode: 'eu-central-1', peerings: [peering] },
  orders: {
    cpuMillis: 4000,
    memoryGbs: 16,
    environment: 'DEV',
    powerState: 'Running',
    connectionPooler: { enabled: true },
  },
  copy: {
    fork: { serviceRef: { name: 'orders' }, strategy: 'NOW' },
    environment: 'DEV',
    powerState: 'Running',
  },
  reads: {
    serviceRef: { name: 'orders' },
    nodes: 1,
    cpuMillis: 3000,
    memoryGbs: 12,
    environment: 'DEV',
  },
};

export function lifeOf(seed: number): Life {
  const random = seeded(seed);
  const cast: Name[] = ['orders'];
  if (random.happens(0.6)) cast.unshift('prod');
  if (random.happens(0.5)) cast.push('reads');
  if (random.happens(0.15)) cast.push('copy');
  const usesVpc = cast.includes('prod') && random.happens(0.7);
  const specs = {
    ...restingSpecs,
    orders: {
      ...restingSpecs.orders,
      cpuMillis: 1000,
      memoryGbs: 4,
      ...(usesVpc ? { vpcRef: { name: 'prod' } } : {}),
    },
  };
  const length = random.between(4, 16);
  const latencyMs = random.pick([0, 2_000, 2_000, 10_000]);
  const hasOwnKey = random.happens(0.3);
  const hasChosenNames = random.happens(0.15);
  return {
    seed,
    cast,
    hasOwnKey,
    hasChosenNames,
    // With a shared key and chosen names, only a user who may adopt can resolve an unanswered create.
    operatorIs: (hasChosenNames && !hasOwnKey) || random.happens(0.2) ? 'trusting' : 'usual',
    beginsReady: random.happens(0.6),
    cloud: {
      latencyMs,
      deleteLatencyMs: random.pick([latencyMs, 0]),
      listLagMs: random.pick([0, 0, 1_000, 5_000]),
      includeReplicaSets: random.happens(0.7),
      endpointAtOnce: random.happens(0.5),
    },
    specs,
    steps: Array.from({ length }, () => randomStep(random, cast)),
  };
}

/** A spec with the API key and the names of this life. */
export function specIn(life: Life, name: Name, spec: Spec): Spec {
  return {
    ...spec,
    ...(life.hasOwnKey ? { credentialsRef: { name: 'key' } } : {}),
    ...(life.hasChosenNames ? { name: `${name}-chosen` } : {}),
  };
}

function randomStep(random: Random, cast: readonly Name[]): Step {
  const name = random.pick<Name>(['orders', ...cast]);
  const pauseMs = random.weighted([
    [2, 0],
    [3, random.between(100, 3_000)],
    [3, random.between(3_000, 20_000)],
    [1, random.between(20_000, 150_000)],
  ]);
  const make = random.weighted<() => StepWithoutPause>([
    [10, () => ({ does: 'edit', name, change: randomChange(random, kindOf[name], cast) })],
    [2, () => ({ does: 'replace', name, by: random.pick(hands) })],
    [
      2,
      () => ({
        does: 'strip',
        name,
        what: random.pick(['pointer', 'finalizer']),
        by: random.pick(hands),
      }),
    ],
    [2, () => ({ does: 'sync', name })],
    [2, () => ({ does: 'delete', name, retain: random.happens(0.4) })],
    [2, () => ({ does: 'apply', name, restored: random.happens(0.6) })],
    [4, () => ({ does: 'secret', name, how: random.pick(secretHarms) })],
    [1, () => ({ does: 'source' })],
    [1, () => ({ does: 'key', is: random.pick(['wrong', 'right', 'deleted']) })],
    [
      1,
      () => ({
        does: 'busy',
        name,
        status: random.pick(['UNSTABLE', 'UPGRADING', 'OPTIMIZING', 'NEW']),
        forMs: random.between(1_000, 60_000),
      }),
    ],
    [1, () => ({ does: 'lose', name })],
    [1, () => ({ does: 'drift', name })],
    [6, () => ({ does: 'fault', fault: randomFault(random) })],
    [7, () => ({ does: 'trap', trap: randomTrap(random) })],
    [2, () => ({ does: random.pick(['kill', 'restart'] as const) })],
    [1, () => ({ does: 'freeze', forMs: random.between(1_000, 200_000) })],
  ]);
  return { ...make(), pauseMs };
}

type Without<T> = T extends unknown ? Omit<T, 'pauseMs'> : never;
type StepWithoutPause = Without<Step>;

const secretHarms = ['delete', 'unlabel', 'unannotate', 'strip', 'wipe', 'edit', 'rename'] as const;

/** Part of a spec; null takes a field out. */
function randomChange(random: Random, kind: WorldKind, cast: readonly Name[]): Spec {
  const text = `t${random.between(1, 99)}`;
  const common: [number, Spec][] = [
    [1, { suspend: random.pick([true, null, null]) }],
    [1, { managementPolicy: random.pick(['Observe', null, null]) }],
    [1, { deletionPolicy: random.pick(['Retain', 'Delete', null]) }],
  ];
  if (kind === 'vpc')
    return random.weighted([
      [3, { peerings: null }],
      [3, { peerings: [peering] }],
      [2, { peerings: [peering, { ...peering, peerVpcId: 'vpc-2' }] }],
      [2, { name: random.pick(['prod-renamed', null]) }],
      ...common,
    ]);
  const size = random.pick([
    { cpuMillis: 1000, memoryGbs: 4 },
    { cpuMillis: 2000, memoryGbs: 8 },
    { cpuMillis: 3000, memoryGbs: 12 },
  ]);
  const connectionSecret = random.pick([
    { name: 'elsewhere' },
    { name: 'third' },
    { labels: { app: text } },
    null,
  ]);
  const both: [number, Spec][] = [
    [3, size],
    [1, { environment: random.pick(['DEV', 'PROD', null]) }],
    [2, { connectionPooler: { enabled: random.happens(0.5) } }],
    ...common,
  ];
  if (kind === 'replicaSet')
    return random.weighted([[2, { connectionSecret: named(connectionSecret, 'reads-') }], ...both]);
  return random.weighted([
    [3, { password: { rotation: text } }],
    [1, { password: { secretRef: { name: 'source' } } }],
    [1, { password: null }],
    [2, { powerState: random.pick(['Stopped', 'Running', null]) }],
    [
      2,
      random.pick<Spec>([
        { highAvailability: { replicaCount: 0, syncReplicaCount: 0 } },
        ...serviceChanges.map(({ spec }) => spec),
      ]),
    ],
    [2, { vpcRef: cast.includes('prod') && random.happens(0.6) ? { name: 'prod' } : null }],
    [2, { connectionSecret }],
    ...both,
  ]);
}

/** Another object's Secret of the same name would be a conflict that people make. */
function named(secret: Spec | null, prefix: string): Spec | null {
  return secret && typeof secret['name'] === 'string'
    ? { ...secret, name: `${prefix}${secret['name']}` }
    : secret;
}
