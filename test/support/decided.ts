import type { Service } from '../../src/cloud/wire/service.ts';
import { decideService } from '../../src/reconcile/service/policy.ts';
import type { ServiceSituation } from '../../src/reconcile/service/situation.ts';
import type { Step } from '../../src/reconcile/step.ts';
import { present, serviceObject, serviceSituation } from './situation.ts';

/** What is different from a service that is READY and exactly as its spec wants. */
export interface Given extends Partial<Omit<ServiceSituation, 'object'>> {
  readonly spec?: object;
  readonly status?: object;
  readonly annotations?: Readonly<Record<string, string>>;
  /** What the cloud shows of it. */
  readonly seen?: Partial<Service>;
}

/** One row of a table: a sentence, what is different, and what the whole policy decides on. */
export type Row = readonly [sentence: string, given: Given, expected: object];

/** What the whole policy of a service decides on. */
export function decided({ spec, status, annotations, seen, ...given }: Given): Step {
  const object = serviceObject(annotations, spec, { status: { observedGeneration: 1, ...status } });
  return decideService(serviceSituation({ cloud: present(seen), ...given, object }));
}
