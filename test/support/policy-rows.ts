import { describe, expect, test } from 'vitest';
import type { Kind } from '../../src/resources/managed-object.ts';
import type { CreateAction, Stall, Step } from '../../src/reconcile/step/step.ts';
import type {
  ObservedResource,
  ObservedSecret,
  Situation,
} from '../../src/reconcile/situation/situation.ts';
import { decideReplicaSet } from '../../src/reconcile/kinds/replica-set/kind.ts';
import { decideService } from '../../src/reconcile/kinds/service/kind.ts';
import { decideVpc } from '../../src/reconcile/kinds/vpc/kind.ts';
import { replicaSetSituation, vpcSituation } from './situation-of-others.ts';
import { noon, serviceSituation, type GivenObject, type GivenService } from './situation.ts';
import { expectShort } from './short-message.ts';
import { stepLike, type ExpectedStep } from './step-like.ts';

/** The difference of an object of any kind from a ready object with id `svc-1`, at noon. */
export type Given = Omit<GivenObject, 'metadata'> &
  Partial<Omit<Situation, keyof GivenObject | 'object' | 'noun' | 'cloud' | 'secret'>> & {
    /** No row names the kind of the present resource. */
    readonly cloud?: ObservedResource<never>;
    /** For a service and a replica set. */
    readonly secret?: ObservedSecret;
  };

/** A sentence, the difference, and the decided step. */
export type Row = readonly [sentence: string, given: Given, expected: ExpectedStep];
export type ServiceRow = readonly [sentence: string, given: GivenService, expected: ExpectedStep];

interface OtherKind {
  /** Replacements in the message for a service, in this order. */
  readonly words: readonly (readonly [ofService: string, own: string])[];
  readonly decide: (given: Given) => Step;
  /** The request for an object with the spec of the situation. */
  readonly creation: object;
  /** The name of a resource whose spec has no name. */
  readonly ownName: CreateAction['name'];
  /** The deletion of `svc-1`. */
  readonly deletion: object;
  /** The part of each record that a service does not have. */
  readonly recorded: object;
}

const others: Readonly<Record<Exclude<Kind, 'ManagedService'>, OtherKind>> = {
  ManagedVpc: {
    words: [
      ['is available at db.example.com:5432; Secret "orders-db" has the connection', 'exists'],
      ['managedservices orders', 'managedvpcs prod'],
      ['CustomResourceDefinition of ManagedService', 'CustomResourceDefinition of ManagedVpc'],
      ['svc-1 (READY)', 'svc-1'],
      ['service', 'VPC'],
    ],
    decide: (given) => decideVpc(vpcSituation(asNamed(given))),
    creation: {
      operation: 'createVpc',
      ids: [],
      body: { cidr: '10.0.0.0/16', region_code: 'eu-central-1' },
    },
    ownName: { kind: 'given', name: 'prod' },
    deletion: { operation: 'deleteVpc', args: ['svc-1'] },
    recorded: {},
  },
  ReplicaSet: {
    words: [
      ['db.example.com', 'reads.example.com'],
      ['managedservices orders', 'readreplicasets reads'],
      ['CustomResourceDefinition of ManagedService', 'CustomResourceDefinition of ReplicaSet'],
      ['svc-1 (READY)', 'svc-1 (active)'],
      ['service', 'replica set'],
    ],
    decide: (given) => decideReplicaSet(replicaSetSituation(asNamed(given))),
    creation: {
      operation: 'createReplicaSet',
      ids: ['svc-1'],
      body: { nodes: 1, cpu_millis: 1000, memory_gbs: 4 },
    },
    ownName: { kind: 'ours', prefix: 'reads' },
    deletion: { operation: 'deleteReplicaSet', args: ['svc-1', 'svc-1'] },
    recorded: { parentServiceId: 'svc-1' },
  },
};

/** With the same ids and time for all kinds. */
function asNamed(given: Given) {
  return { now: noon, ...given, record: { id: 'svc-1', ...given.record } };
}

/** Rows for a service. */
export function decides(rows: readonly ServiceRow[]): void {
  test.each(rows)('%s', (_, given, expected) => {
    const step = decideService(serviceSituation(given));
    expect(step).toEqual(stepLike(expected));
    // Of a message a row gives a part.
    expect(JSON.stringify(step)).not.toContain('undefined');
    expectShort(step);
  });
}

/** Rows for all kinds: the exact step for a service, and the same step with the nouns of the other kinds. */
export function allDecide(rows: readonly Row[]): void {
  describe('ManagedService', () => {
    decides(rows);
  });
  describe.each(Object.entries(others))('%s', (_kind, other) => {
    test.each(rows)('%s', (_, given, { message, action, ...expected }) => {
      const step = other.decide(given);
      const own = {
        message: inOwnWords(other, message),
        ...(action === undefined ? {} : { action: ofKind(other, action) }),
      };
      expect(step).toEqual(stepLike({ ...expected, ...own }));
      expect(deletionsOf(step)).toEqual(deletionsOf(step).map(() => other.deletion));
      expectShort(step);
    });
  });
}

/** The request of a step that deletes. */
function deletionsOf(step: Step): object[] {
  if (!('action' in step) || step.action.type !== 'delete') return [];
  const { operation, args } = step.action;
  return [{ operation, args }];
}

function inOwnWords({ words }: OtherKind, message: string): string {
  return words.reduce((text, [ofService, own]) => text.replaceAll(ofService, own), message);
}

/** The action of another kind for the action of a service: with its own request, name and record. */
function ofKind(other: OtherKind, action: object): object {
  const { creation, ownName, recorded } = other;
  const { record, name, inVain }: { record?: object; name?: CreateAction['name']; inVain?: Stall } =
    action;
  return {
    ...action,
    ...(record === undefined ? {} : { record: { ...record, ...recorded } }),
    ...('creation' in action ? { creation } : {}),
    ...(name?.kind === 'ours' ? { name: ownName } : {}),
    ...(inVain === undefined
      ? {}
      : { inVain: { ...inVain, message: inOwnWords(other, inVain.message) } }),
  };
}

/** The action of a create for a service with an empty spec, with differences. */
export function creates(more: Partial<CreateAction> = {}): CreateAction {
  return {
    type: 'create',
    creation: { operation: 'createService', ids: [], body: {} },
    name: { kind: 'ours', prefix: 'orders' },
    sameNameIds: [],
    record: { projectId: 'prj-1' },
    recordOnSuccess: {},
    ...more,
  };
}
