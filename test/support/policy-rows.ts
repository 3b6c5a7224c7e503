import { describe, expect, test } from 'vitest';
import type { Kind } from '../../src/resources/managed-object.ts';
import type { CreateAction } from '../../src/reconcile/step/action.ts';
import type { ObservedResource, ObservedSecret } from '../../src/reconcile/situation/observed-resource.ts';
import { decideReplicaSet } from '../../src/reconcile/kinds/replica-set/kind.ts';
import { decideService } from '../../src/reconcile/kinds/service/kind.ts';
import type { Situation } from '../../src/reconcile/situation/situation.ts';
import type { Step } from '../../src/reconcile/step/step.ts';
import { decideVpc } from '../../src/reconcile/kinds/vpc/kind.ts';
import { replicaSetSituation, vpcSituation } from './situation-of-others.ts';
import { known, noon, serviceSituation, type GivenObject, type GivenService } from './situation.ts';
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

const others: Readonly<Record<Exclude<Kind, 'ManagedService'>, (given: Given) => Step>> = {
  ManagedVpc: (given) => decideVpc(vpcSituation(asNamed(given))),
  ReplicaSet: (given) => decideReplicaSet(replicaSetSituation(asNamed(given))),
};

/** With the same ids and time for all kinds. */
function asNamed(given: Given) {
  return { now: noon, identity: known(), ...given, record: { id: 'svc-1', ...given.record } };
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
  describe.each(Object.entries(others))('%s', (_kind, decide) => {
    test.each(rows)('%s', (_, given, expected) => {
      const step = decide(given);
      expect(step).toMatchObject(withoutWords(expected));
      expectShort(step);
    });
  });
}

function withoutWords({ message: _message, action, delayedReport, ...step }: ExpectedStep): object {
  return {
    ...step,
    ...(action === undefined ? {} : { action: typeOf(action) }),
    ...(delayedReport === undefined ? {} : { delayedReport }),
  };
}

function typeOf(action: unknown): object {
  return typeof action === 'object' && action !== null && 'type' in action ? { type: action.type } : {};
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
