import { Counter, Gauge, Histogram, type Registry } from '@prometheus-io/client';
import { bounded, type Definition } from './definition.ts';

type Labels<L extends string> = Readonly<Record<L, string>>;

interface GaugeInstrument<L extends string> {
  set(labels: Labels<L>, value: number): void;
  /** Adds 1. */
  add(labels: Labels<L>): void;
  /** Sets the value, unless an earlier `raise` set a greater one. A negative value changes nothing. */
  raise(labels: Labels<L>, value: number): void;
  /** Removes all values until the next `set`. */
  clear(): void;
}

/** A label never takes a value that its definition does not have. */
export function instruments(registry: Registry) {
  return {
    counter<L extends string>(definition: Definition<'counter', L>) {
      const metric = new Counter(configurationOf(definition, registry));
      const boundedOf = bounding(definition);
      const begin = beginning(definition, (labels) => metric.inc(labels, 0));
      return (labels: Labels<L>, by = 1): void => {
        begin(labels);
        metric.inc(boundedOf(labels), by);
      };
    },
    gauge<L extends string>(definition: Definition<'gauge', L>): GaugeInstrument<L> {
      const metric = new Gauge(configurationOf(definition, registry));
      const boundedOf = bounding(definition);
      const raised = new Map<string, number>();
      return {
        set: (labels, value) => metric.set(boundedOf(labels), value),
        add: (labels) => metric.inc(boundedOf(labels)),
        raise(labels, value) {
          const of = boundedOf(labels);
          const id = Object.values(of).join(' ');
          if (value < (raised.get(id) ?? 0)) return;
          raised.set(id, value);
          metric.set(of, value);
        },
        clear() {
          metric.reset();
          raised.clear();
        },
      };
    },
    histogram<L extends string>(definition: Definition<'histogram', L>) {
      const metric = new Histogram({
        ...configurationOf(definition, registry),
        buckets: [...(definition.buckets ?? [])],
      });
      const boundedOf = bounding(definition);
      const begin = beginning(definition, (labels) => metric.zero(labels));
      return (labels: Labels<L>, value: number): void => {
        begin(labels);
        metric.observe(boundedOf(labels), value);
      };
    },
  };
}

export type Instruments = ReturnType<typeof instruments>;

/** Has series begin at 0: now, or when the settings among their labels are first known. */
function beginning(
  { labels, fromZero = [] }: Definition,
  zero: (labels: Record<string, string>) => void,
): (given: Labels<string>) => void {
  const settings = Object.entries(labels).flatMap(([name, label]) =>
    'setting' in label ? [name] : [],
  );
  const begun = new Set<string>();
  const begin = (given: Labels<string>) => {
    const values = settings.map((name) => given[name] ?? '');
    const id = values.join(' ');
    if (begun.has(id)) return;
    begun.add(id);
    const own = Object.fromEntries(settings.map((name, index) => [name, values[index] ?? '']));
    for (const each of fromZero) zero({ ...each, ...own });
  };
  if (settings.length === 0) begin({});
  return begin;
}

function configurationOf({ name, help, labels }: Definition, registry: Registry) {
  return { name, help, labelNames: Object.keys(labels), registers: [registry] };
}

function bounding(definition: Definition): (given: Labels<string>) => Record<string, string> {
  const labels = Object.entries(definition.labels);
  return (given) => {
    const values: Record<string, string> = {};
    for (const [name, label] of labels) values[name] = bounded(label, given[name] ?? '');
    return values;
  };
}
