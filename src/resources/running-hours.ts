import { annotations } from './annotations.ts';
import type { RuleLevel } from './change-rules.ts';
import type { ManagedService } from './managed-service.ts';
import {
  isOpen,
  nextChange,
  parseWeeklyWindow,
  utcText,
  wallText,
  type WeeklyWindow,
} from './weekly-window.ts';

/** The power states of a service. */
export type Power = 'Running' | 'Stopped';

/** The clocks of two operators may differ by less, so neither stops a service that the other has just started. */
const nearMs = 300_000;

type Service = Pick<ManagedService, 'spec' | 'metadata'>;

/**
 * The power state that the object requests at an instant of wall time. Undefined: the service stays as it is, also
 * around the edges of its hours. Pure.
 */
export function wantedPower(service: Service, at: number): Power | undefined {
  const { hours, awakeUntil } = scheduleOf(service);
  if (hours.length === 0) return service.spec.powerState;
  if (awakeUntil > at || hours.some((window) => isOpen(window, at))) return 'Running';
  const isNearEdge =
    awakeUntil + nearMs > at ||
    hours.some((window) => nextChange(window, at - nearMs) <= at + nearMs);
  return isNearEdge ? undefined : 'Stopped';
}

/** The first instant after `at` at which {@link wantedPower} may become another power state. Undefined if there is none. */
export function nextPowerChange(service: Service, at: number): number | undefined {
  const { hours, awakeUntil } = scheduleOf(service);
  if (hours.length === 0) return undefined;
  const edges = hours.flatMap((window) => [
    nextChange(window, at),
    nextChange(window, at - nearMs) + nearMs,
  ]);
  const next = Math.min(...[...edges, awakeUntil, awakeUntil + nearMs].filter((each) => each > at));
  return Number.isFinite(next) ? next : undefined;
}

/** The next opening of the hours as text, such as `Mon 07:00 Europe/Berlin`. Undefined without hours, or if they are open. */
export function nextStart(service: Service, at: number): string | undefined {
  const { hours } = scheduleOf(service);
  if (hours.some((window) => isOpen(window, at))) return undefined;
  const [first] = hours
    .map((window) => ({ window, opening: nextChange(window, at) }))
    .toSorted((a, b) => a.opening - b.opening);
  return first && Number.isFinite(first.opening)
    ? wallText(first.window, first.opening)
    : undefined;
}

/**
 * The running hours as windows for changes, since a stopped service is not changed. Until `openUntil`, the service is awake
 * also outside of its hours. Undefined without hours.
 */
export function hoursLevel(
  service: Service,
): (Pick<RuleLevel, 'windows'> & { readonly openUntil: number }) | undefined {
  const { hours, awakeUntil } = scheduleOf(service);
  return hours.length === 0 ? undefined : { windows: hours, openUntil: awakeUntil };
}

/** The command that starts the service outside of its hours. */
export function wakeCommand({ metadata: { name, namespace } }: Service): string {
  return `managed-db wake msvc/${name} -n ${namespace} --for 2h`;
}

/**
 * A note about the annotation `awake-until` of a service with hours: the end of the wake, or that the operator cannot read it.
 * Undefined if the annotation is missing, or its time is over. Pure.
 */
export function wakeNote(service: Service, at: number): string | undefined {
  const { hours, awakeUntil, isWakeIgnored } = scheduleOf(service);
  if (hours.length === 0) return undefined;
  if (isWakeIgnored)
    return `${annotations.awakeUntil} is ignored: write a time such as 2026-11-28T18:00:00Z`;
  return awakeUntil > at ? `awake until ${utcText(awakeUntil)}` : undefined;
}

interface Schedule {
  /** Empty without hours, and for unreadable hours. */
  readonly hours: readonly WeeklyWindow[];
  /** Wall time. -Infinity without a wake. */
  readonly awakeUntil: number;
  readonly isWakeIgnored: boolean;
}

function scheduleOf({ spec, metadata }: Service): Schedule {
  const texts = spec.runningHours ?? [];
  const hours = texts.flatMap((each) => {
    const window = parseWeeklyWindow(each);
    return 'problem' in window ? [] : [window];
  });
  const text = metadata.annotations?.[annotations.awakeUntil];
  const until = text === undefined ? Number.NEGATIVE_INFINITY : readTime(text);
  const isWakeIgnored = Number.isNaN(until);
  return {
    hours: hours.length === texts.length ? hours : [],
    awakeUntil: isWakeIgnored ? Number.NEGATIVE_INFINITY : until,
    isWakeIgnored,
  };
}

const rfc3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/u;

/** Milliseconds since the epoch. NaN for another text. */
function readTime(text: string): number {
  return rfc3339.test(text) ? Date.parse(text) : Number.NaN;
}
