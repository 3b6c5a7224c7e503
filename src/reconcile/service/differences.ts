import { differs, text } from '../differs.ts';
import type { ServiceSituation } from './situation.ts';
import { serviceOf } from './state.ts';

/** A field of the spec that the cloud does not meet. */
export interface Difference {
  readonly field: string;
  readonly wanted: string;
  readonly actual: string;
}

/** Where the spec names a value and the cloud shows another. What the spec leaves out, and what the cloud does not say, is no difference. Pure. */
export function differences(situation: ServiceSituation): readonly Difference[] {
  const { object, secret } = situation;
  const { spec } = object;
  const service = serviceOf(situation);
  if (!service) return [];
  return [
    compare('spec.connectionSecret.name', object.spec.connectionSecret?.name, secret.name),
    spec.password === undefined ? undefined : { field: 'spec.password', wanted: 'another password', actual: 'the one in the Secret' },
  ].filter((difference) => difference !== undefined);
}

function compare(field: string, wanted: unknown, actual: unknown): Difference | undefined {
  return differs(wanted, actual) ? { field, wanted: text(wanted), actual: text(actual) } : undefined;
}
