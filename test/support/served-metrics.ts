import { type Definition, other } from '../../src/operator/metrics/definition.ts';
import { definitions, usageDefinitions } from '../../src/operator/metrics/definitions.ts';
import type { Family } from './exposition.ts';
import type { Watched } from './metric-queries.ts';

export const ofOurs = new Map<string, Definition>(
  Object.values(definitions).map((each) => [each.name, each]),
);

/** The metrics of /metrics/usage. */
export const ofUsage = Object.values(usageDefinitions).map(({ name }) => name);

/** Labels and values on /metrics that the definitions do not have. */
export function outsideOf(families: ReadonlyMap<string, Family>): readonly string[] {
  return [...families.values()].flatMap(({ name, samples }) => {
    const definition = ofOurs.get(name);
    return definition
      ? samples.flatMap(({ labels }) => outsideOfDefinition(definition, labels))
      : [];
  });
}

function outsideOfDefinition(
  { name, type, labels }: Definition,
  told: Readonly<Record<string, string>>,
): readonly string[] {
  const wrong: string[] = [];
  for (const [label, value] of Object.entries(told)) {
    if (type === 'histogram' && label === 'le') continue;
    const allowed = labels[label];
    if (!allowed) wrong.push(`${name}: ${label}`);
    else if (!('setting' in allowed) && !allowed.values.includes(value))
      wrong.push(`${name}: ${label}="${value}"`);
  }
  return [
    ...wrong,
    ...Object.keys(labels)
      .filter((label) => !(label in told))
      .map((label) => `${name} lacks ${label}`),
  ];
}

/** Labels that another label determines: the code of a cloud call follows from its outcome. */
const following: ReadonlySet<string> = new Set(['managed_db_cloud_calls_total code']);

/** Series that alerts watch for growth and that are not served, for all values of their labels but `other`. A setting may have any value. */
export function unserved(
  watched: readonly Watched[],
  families: ReadonlyMap<string, Family>,
): readonly string[] {
  return watched.flatMap(({ name, labels }) => {
    const choices = Object.entries(ofOurs.get(name)?.labels ?? {}).flatMap(([label, allowed]) => {
      if ('setting' in allowed || following.has(`${name} ${label}`)) return [];
      const asked = labels.filter((each) => each.name === label);
      return [
        allowed.values
          .filter((value) => value !== other && asked.every(({ isRight }) => isRight.test(value)))
          .map((value) => [label, value] as const),
      ];
    });
    const samples = families.get(name)?.samples ?? [];
    const combinations = choices.reduce<(readonly (readonly [string, string])[])[]>(
      (before, values) => before.flatMap((some) => values.map((value) => [...some, value])),
      [[]],
    );
    return combinations
      .filter(
        (pairs) =>
          !samples.some((sample) =>
            pairs.every(([label, value]) => sample.labels[label] === value),
          ),
      )
      .map((pairs) => `${name} ${pairs.map(([label, value]) => `${label}="${value}"`).join(', ')}`);
  });
}
