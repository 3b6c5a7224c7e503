/** A figure that a benchmark measures, and its limit. */
export interface Figure {
  /** The scenario that measures it comes first. */
  readonly id: `${string}.${string}`;
  /** At most 38 characters: it stands in a table of 80 columns. */
  readonly what: string;
  /** At most 7 characters. */
  readonly unit: string;
  /** Left out: the figure is reported without a verdict. */
  readonly most?: number;
  /** The limit as a ratio to an earlier run, where it is given: for seconds of CPU, which mean nothing on another machine. */
  readonly mostOfBefore?: number;
  /** How it is measured, in a sentence. Left out where `what` says it. The page shows it for a figure with a budget. */
  readonly meaning?: string;
}

/** All figures, in the order of the page. Ratios are of parts of the same run; budgets hold for the full size of a scenario. */
export const figures = [
  {
    id: 'create.wall-ratio',
    what: 'create to Ready, of the bare replay',
    unit: 'times',
    most: 1.05,
    meaning: 'From the first apply until all are Ready; the median of the ratios of all rounds.',
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
    meaning: 'Until all are Ready; the median of all rounds.',
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
    mostOfBefore: 0.75,
    meaning:
      'CPU time of the API server until all are Ready, divided by the number of services; the median of all rounds. Its budget is a share of an earlier run on the same machine.',
  },
  {
    id: 'create.api-server-cpu-ratio',
    what: 'CPU of the API server, of the replay',
    unit: 'times',
    meaning:
      'CPU time of the API server while the operator works, divided by that during the replay of its writes.',
  },
  {
    id: 'create.writes',
    what: 'Kubernetes writes, each service',
    unit: 'writes',
    most: 8,
  },
  {
    id: 'create.events',
    what: 'Kubernetes events, each service',
    unit: 'writes',
    most: 1,
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
    meaning: 'Until all are Ready.',
  },
  {
    id: 'create.cloud-writes',
    what: 'cloud writes, each service',
    unit: 'calls',
    most: 1,
  },
  {
    id: 'create.event-loop',
    what: 'event-loop delay, p99',
    unit: 'ms',
    most: 20,
  },
  {
    id: 'create.rss',
    what: 'RSS when all are Ready',
    unit: 'MiB',
    meaning:
      'Resident memory of the operator, one round in a process that was started for it; the median of all rounds.',
  },
  {
    id: 'create.peak',
    what: 'RSS, the most',
    unit: 'MiB',
    meaning: 'The most memory that was ever resident.',
  },
  {
    id: 'create.heap',
    what: 'live heap',
    unit: 'MiB',
    meaning: 'Memory in use after a full garbage collection.',
  },
  {
    id: 'delete.wall-ratio',
    what: 'delete, of the create of as many',
    unit: 'times',
    most: 0.8,
    meaning: 'From the request that deletes all until all are gone; the median of the ratios.',
  },
  {
    id: 'delete.wall',
    what: 'delete',
    unit: 's',
    meaning: 'The same time in seconds.',
  },
  {
    id: 'delete.operator-cpu',
    what: 'CPU of the operator, each service',
    unit: 'ms',
    meaning: 'CPU time of the operator until all are gone, divided by their number.',
  },
  {
    id: 'delete.api-server-cpu',
    what: 'CPU of the API server, each service',
    unit: 'ms',
    meaning: 'The same of the API server.',
  },
  {
    id: 'delete.writes',
    what: 'Kubernetes writes, each service',
    unit: 'writes',
    meaning: 'Requests that change something, but for events.',
  },
  {
    id: 'delete.cloud-gets',
    what: 'cloud GETs, all services',
    unit: 'calls',
    meaning:
      'Calls that read a single service: its environment before the DELETE, and whether it is gone afterwards.',
  },
  {
    id: 'delete.cloud-lists',
    what: 'cloud lists, all services',
    unit: 'calls',
    meaning: 'Calls that list services.',
  },
  {
    id: 'delete.cloud-writes',
    what: 'cloud writes, each service',
    unit: 'calls',
    most: 1,
  },
  {
    id: 'memory.rss-empty',
    what: 'RSS with no service',
    unit: 'MiB',
    most: 80,
    meaning: 'After the start.',
  },
  {
    id: 'memory.rss-tenth',
    what: 'RSS with a tenth of the services',
    unit: 'MiB',
    most: 110,
    meaning: '1,000 services.',
  },
  {
    id: 'memory.rss-half',
    what: 'RSS with half of the services',
    unit: 'MiB',
    meaning: 'The same after 5,000.',
  },
  {
    id: 'memory.rss-full',
    what: 'RSS with all services',
    unit: 'MiB',
    most: 200,
    meaning: '10,000 services.',
  },
  {
    id: 'memory.peak',
    what: 'RSS, the most',
    unit: 'MiB',
    meaning: 'The most that was ever resident while they were made.',
  },
  {
    id: 'memory.heap',
    what: 'live heap with all services',
    unit: 'MiB',
    meaning: 'Memory in use after a full garbage collection.',
  },
  {
    id: 'memory.heap-each',
    what: 'live heap, each service',
    unit: 'KiB',
    meaning: 'The live heap divided by the number of services.',
  },
  {
    id: 'restart.ready',
    what: 'start until it works',
    unit: 's',
    most: 2,
    meaning: 'Until the caches are full.',
  },
  {
    id: 'restart.visited',
    what: 'start until all are reconciled',
    unit: 's',
    meaning: 'From the start until each service was reconciled once and no key waits.',
  },
  {
    id: 'restart.writes',
    what: 'Kubernetes writes',
    unit: 'writes',
    most: 0,
    meaning: 'With events, until all are reconciled.',
  },
  {
    id: 'restart.cloud-writes',
    what: 'cloud writes',
    unit: 'calls',
    most: 0,
  },
  {
    id: 'restart.cloud-reads',
    what: 'cloud reads',
    unit: 'calls',
    meaning: 'Calls to the cloud that read.',
  },
  {
    id: 'restart.operator-cpu',
    what: 'CPU of the operator',
    unit: 's',
    meaning: 'CPU time until all were reconciled, the start of Node included.',
  },
  {
    id: 'restart.api-server-cpu',
    what: 'CPU of the API server',
    unit: 's',
    meaning: 'The same of the API server.',
  },
  {
    id: 'restart.event-loop',
    what: 'event-loop delay, p99',
    unit: 'ms',
    most: 20,
    meaning: 'Since the start.',
  },
  {
    id: 'restart.rss',
    what: 'RSS when all are reconciled',
    unit: 'MiB',
    meaning: 'Resident memory then.',
  },
  {
    id: 'restart.peak',
    what: 'RSS, the most',
    unit: 'MiB',
    meaning: 'The most until then.',
  },
  {
    id: 'idle.cores',
    what: 'CPU of the operator',
    unit: 'cores',
    most: 0.02,
  },
  {
    id: 'idle.api-server-cores',
    what: 'CPU of the API server',
    unit: 'cores',
    meaning: 'The same of the API server, for all that it does.',
  },
  {
    id: 'idle.cloud-reads',
    what: 'cloud reads, each minute and key',
    unit: 'calls',
    most: 2,
  },
  {
    id: 'idle.writes',
    what: 'Kubernetes writes',
    unit: 'writes',
    most: 0,
  },
  {
    id: 'edit-under-resync.ratio',
    what: 'edit to the cloud, p99, of one at rest',
    unit: 'times',
    most: 2,
    meaning: 'From an accepted edit to its call, during the resync of all services after a start.',
  },
  {
    id: 'edit-under-resync.busy',
    what: 'edit to the cloud, p99',
    unit: 'ms',
    meaning: 'The first of the two.',
  },
  {
    id: 'edit-under-resync.quiet',
    what: 'edit to the cloud at rest, p99',
    unit: 'ms',
    meaning: 'The second of the two.',
  },
  {
    id: 'edit-under-resync.visits',
    what: 'reconciled before the last call',
    unit: 'objects',
    meaning:
      'Objects that were reconciled until the last edit had reached the cloud: few more than services, since the edits came during the resync.',
  },
  {
    id: 'failover.crash-ratio',
    what: 'takeover after a crash, of the lease',
    unit: 'times',
    most: 1.2,
    meaning: 'Divided by the duration of the lease.',
  },
  {
    id: 'failover.crash',
    what: 'takeover after a crash',
    unit: 's',
    meaning: 'The same time in seconds; the median of all rounds.',
  },
  {
    id: 'failover.graceful',
    what: 'takeover after a stop',
    unit: 's',
    most: 1,
    meaning: 'From the end of the stopped process.',
  },
  {
    id: 'cold-start.first-write',
    what: 'start until the first write',
    unit: 's',
    most: 0.5,
    meaning: 'At the end of the first reconcile.',
  },
  {
    id: 'cold-start.works',
    what: 'start until it works',
    unit: 's',
    meaning: 'From the start until its caches are full and it works.',
  },
  {
    id: 'cold-start.cpu',
    what: 'CPU of the operator',
    unit: 's',
    meaning: 'CPU time of the start and of the first reconcile.',
  },
  {
    id: 'cold-start.rss',
    what: 'RSS',
    unit: 'MiB',
    meaning: 'Resident memory then.',
  },
  {
    id: 'soak.laps',
    what: 'laps',
    unit: 'laps',
    meaning: 'How often all services were made, edited, broken, mended and deleted.',
  },
  {
    id: 'soak.heap-ratio',
    what: 'live heap, of that after three laps',
    unit: 'times',
    most: 1.05,
    meaning: 'After a full garbage collection, with no service left.',
  },
  {
    id: 'soak.heap',
    what: 'live heap',
    unit: 'MiB',
    meaning: 'The first of the two.',
  },
  {
    id: 'soak.resources',
    what: 'sockets and timers that were added',
    unit: 'things',
    most: 0,
    meaning: 'Since the third lap.',
  },
  {
    id: 'soak.cloud-reads',
    what: 'cloud reads with nothing to look at',
    unit: 'calls',
    most: 1,
    meaning: 'In half a minute after the last service is gone.',
  },
  {
    id: 'soak.peak',
    what: 'RSS, the most',
    unit: 'MiB',
    meaning: 'The most memory that was ever resident.',
  },
  {
    id: 'quick.create-writes',
    what: 'Kubernetes writes, each new service',
    unit: 'writes',
    most: 8,
    meaning: 'Seven, or eight where the machine is slower than the cloud.',
  },
  {
    id: 'quick.create-events',
    what: 'Kubernetes events, each new service',
    unit: 'writes',
    most: 2,
    meaning: 'One, or two where the machine is slower than the cloud.',
  },
  {
    id: 'quick.create-reads',
    what: 'Kubernetes reads, each new service',
    unit: 'reads',
    most: 0,
    meaning: 'The reply to each write suffices.',
  },
  {
    id: 'quick.create-cloud-writes',
    what: 'cloud writes, each new service',
    unit: 'calls',
    most: 1,
  },
  {
    id: 'quick.create-cloud-gets',
    what: 'cloud GETs, all new services',
    unit: 'calls',
    most: 0,
  },
  {
    id: 'quick.restart-writes',
    what: 'Kubernetes writes after a restart',
    unit: 'writes',
    most: 0,
    meaning: 'With events, until all are reconciled.',
  },
  {
    id: 'quick.restart-reads',
    what: 'GETs after a restart, each service',
    unit: 'reads',
    most: 0,
    meaning: 'Status has the version of the connection Secret.',
  },
  {
    id: 'quick.restart-cloud-writes',
    what: 'cloud writes after a restart',
    unit: 'calls',
    most: 0,
  },
  {
    id: 'quick.delete-writes',
    what: 'Kubernetes writes, each deletion',
    unit: 'writes',
    most: 6,
    meaning: 'Five, and the status if the deletion lasts.',
  },
  {
    id: 'quick.delete-reads',
    what: 'Kubernetes reads, each deletion',
    unit: 'reads',
    most: 1,
    meaning: 'The read of the object right before the DELETE.',
  },
  {
    id: 'quick.delete-cloud-writes',
    what: 'cloud writes, each deletion',
    unit: 'calls',
    most: 1,
  },
  {
    id: 'quick.delete-cloud-gets',
    what: 'cloud GETs, all deletions',
    unit: 'calls',
    most: 20,
    meaning: 'One each before the DELETE; another each if the cloud is faster than the lists.',
  },
  {
    id: 'quick.delete-cloud-lists',
    what: 'cloud lists in a second of deletion',
    unit: 'lists',
    most: 3,
  },
] as const satisfies readonly Figure[];

export type FigureId = (typeof figures)[number]['id'];

/** A figure that was measured. */
export interface Measured {
  readonly id: FigureId;
  readonly value: number;
}
