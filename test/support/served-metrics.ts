import { definitions } from '../../src/operator/metrics/definitions.ts';
import type { Definition } from '../../src/operator/metrics/definition.ts';
import type { Family } from './exposition.ts';

export const ofOurs = new Map<string, Definition>(Object.values(definitions).map((each) => [each.name, each]));

/** What is told of a metric of ours that its definition does not have: labels, and values of labels. */
export function outsideOf(families: ReadonlyMap<string, Family>): readonly string[] {
  return [...families.values()].flatMap(({ name, samples }) => {
    const definition = ofOurs.get(name);
    return definition ? samples.flatMap(({ labels }) => outsideOfDefinition(definition, labels)) : [];
  });
}

function outsideOfDefinition({ name, type, labels }: Definition, told: Readonly<Record<string, string>>): readonly string[] {
  const wrong: string[] = [];
  for (const [label, value] of Object.entries(told)) {
    if (type === 'histogram' && label === 'le') continue;
    const allowed = labels[label];
    if (!allowed) wrong.push(`${name}: ${label}`);
    else if (!('setting' in allowed) && !allowed.values.includes(value)) wrong.push(`${name}: ${label}="${value}"`);
  }
  return [
    ...wrong,
    ...Object.keys(labels)
      .filter((label) => !(label in told))
      .map((label) => `${name} lacks ${label}`),
  ];
}
