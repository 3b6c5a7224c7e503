import { Counter, Gauge, Histogram, type Registry } from '@prometheus-io/client';
import type { Definition } from './definition.ts';
import { bounded } from './label.ts';

type Labels<L extends string> = Readonly<Record<L, string>>;

/** Creates metrics from definitions. A label never takes a value that its definition does not have. */
export interface Instruments {
  counter<L extends string>(definition: Definition<'counter', L>): (labels: Labels<L>, by?: number) => void;
  gauge<L extends string>(definition: Definition<'gauge', L>): GaugeInstrument<L>;
  histogram<L extends string>(definition: Definition<'histogram', L>): (labels: Labels<L>, value: number) => void;
}

export interface GaugeInstrument<L extends string> {
  set(labels: Labels<L>, value: number): void;
  /** Removes all values until the next `set`. */
  clear(): void;
}

export function instruments(registry: Registry): Instruments {
  return {
    counter(definition) {
      const metric = new Counter(configurationOf(definition, registry));
      return (labels, by = 1) => metric.inc(boundedOf(definition, labels), by);
    },
    gauge(definition) {
      const metric = new Gauge(configurationOf(definition, registry));
      return {
        set: (labels, value) => metric.set(boundedOf(definition, labels), value),
        clear: () => metric.reset(),
      };
    },
    histogram(definition) {
      const metric = new Histogram({ ...configurationOf(definition, registry), buckets: [...(definition.buckets ?? [])] });
      return (labels, value) => metric.observe(boundedOf(definition, labels), value);
    },
  };
}

function configurationOf({ name, help, labels }: Definition, registry: Registry) {
  return { name, help, labelNames: Object.keys(labels), registers: [registry] };
}

function boundedOf({ labels }: Definition, given: Labels<string>): Record<string, string> {
  return Object.fromEntries(Object.entries(labels).map(([name, label]) => [name, bounded(label, given[name] ?? '')]));
}
