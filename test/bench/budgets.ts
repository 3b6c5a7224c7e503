/** One figure that a benchmark measures, and the most that it may be. */
export interface Figure {
  /** The scenario that measures it comes first. */
  readonly id: `${string}.${string}`;
  /** At most 38 characters: it stands in a table of 80 columns. */
  readonly what: string;
  /** At most 7 characters. */
  readonly unit: string;
  /** Left out: it is told, and judged by nobody. */
  readonly most?: number;
  /** What it is, and how it is measured; a sentence for the page about the benchmarks. */
  readonly meaning: string;
}

/** All of them, in the order of the page. Ratios are of parts of one run; budgets hold for the full size of a scenario. */
export const figures = [
  {
    id: 'create.wall-ratio',
    what: 'create to Ready, of the bare replay',
    unit: 'times',
    most: 1.05,
    meaning:
      'The time from the first apply until all are Ready, divided by that of the bare replay; the median of the ratios of all rounds.',
  },
  {
    id: 'create.wall',
    what: 'create to Ready',
    unit: 's',
    meaning: 'The same time in seconds; the median of all rounds.',
  },
  {
    id: 'create.operator-cpu',
    what: 'CPU of the operator, each service',
    unit: 'ms',
    most: 3.5,
    meaning: 'CPU time of the operator until all are Ready, divided by the number of services; the median of all rounds.',
  },
  {
    id: 'create.replay-cpu',
    what: 'CPU of the bare replay, each service',
    unit: 'ms',
    meaning: 'The same of the process that replays the writes.',
  },
  {
    id: 'create.api-server-cpu',
    what: 'CPU of the API server, each service',
    unit: 'ms',
    meaning: 'CPU time of the API server until all are Ready, divided by the number of services; the median of all rounds.',
  },
  {
    id: 'create.api-server-cpu-ratio',
    what: 'CPU of the API server, of the replay',
    unit: 'times',
    meaning: 'What the API server spends while the operator works, divided by what it spends while its writes are replayed.',
  },
  {
    id: 'create.writes',
    what: 'Kubernetes writes, each service',
    unit: 'writes',
    most: 5,
    meaning: 'Requests of the operator to the API server that change something, but for events, as the API server counted them.',
  },
  {
    id: 'create.events',
    what: 'Kubernetes events, each service',
    unit: 'writes',
    most: 1,
    meaning: 'Requests that write an event.',
  },
  {
    id: 'create.kubernetes-reads',
    what: 'Kubernetes reads, all services',
    unit: 'reads',
    meaning: 'GETs and LISTs of the kinds that the operator has to do with, while all come up.',
  },
  {
    id: 'create.cloud-reads',
    what: 'cloud reads, all services',
    unit: 'calls',
    most: 60,
    meaning: 'Calls to the cloud that read, until all are Ready, as the cloud counted them.',
  },
  {
    id: 'create.cloud-writes',
    what: 'cloud writes, each service',
    unit: 'calls',
    most: 1,
    meaning: 'Calls to the cloud that change something.',
  },
  {
    id: 'create.event-loop',
    what: 'event-loop delay, p99',
    unit: 'ms',
    most: 20,
    meaning: 'How late the event loop of the operator was while it worked, but for one time in a hundred.',
  },
  {
    id: 'create.rss',
    what: 'RSS when all are Ready',
    unit: 'MiB',
    meaning: 'Resident memory of the operator, one round in a process that was started for it; the median of all rounds.',
  },
  { id: 'create.peak', what: 'RSS, the most', unit: 'MiB', meaning: 'The most memory that was ever resident.' },
  { id: 'create.heap', what: 'live heap', unit: 'MiB', meaning: 'What is reachable after a full garbage collection.' },
] as const satisfies readonly Figure[];

export type FigureId = (typeof figures)[number]['id'];

/** A figure that was measured. */
export interface Measured {
  readonly id: FigureId;
  readonly value: number;
}
