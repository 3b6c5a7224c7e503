import type { EnvironmentTag } from '../../cloud/wire/endpoint.ts';
import type { Change, Field } from '../decide/pending-change.ts';

/** The fields that services and replica sets share. Each kind adds their places. */

/** Undefined if the cloud does not report the value. */
export interface Size {
  readonly cpuMillis?: number | undefined;
  readonly memoryGbs?: number | undefined;
}

/**
 * The processors and the memory of a resource, which change in the same request.
 * @param noun the kind in messages, such as `service`
 */
export const sizeField = (noun: string): Field<Size, Required<Size>> => ({
  name: 'size',
  path: 'cpuMillis/memoryGbs',
  reason: 'Resizing',
  text: sizeText,
  request: ({ cpuMillis, memoryGbs }) =>
    `resize the ${noun} to ${cpuMillis} millicores, ${memoryGbs} GB`,
  progress: (from, to) => `resizing from ${from} to ${to}`,
});

/** Such as `2000m/8GB`. */
export function sizeText({ cpuMillis, memoryGbs }: Size): string {
  return `${cpuMillis ?? ''}m/${memoryGbs ?? ''}GB`;
}

/** The size as requests of the cloud have it. */
export function sizeRequest({ cpuMillis, memoryGbs }: Required<Size>) {
  return { cpu_millis: String(cpuMillis), memory_gbs: String(memoryGbs) };
}

/**
 * The environment of a resource.
 * @param noun the kind in messages, such as `service`
 */
export const environmentField = (noun: string): Field<string, EnvironmentTag> => ({
  name: 'environment',
  path: 'environment',
  reason: 'SettingEnvironment',
  unset: 'none',
  text: String,
  request: (wanted) => `set the environment of the ${noun} to ${wanted}`,
  progress: (from, to) => `setting the environment from ${from} to ${to}`,
});

/**
 * The connection pooler of a resource, enabled or disabled.
 * @param noun the kind in messages, such as `service`
 */
export const connectionPoolerField = (noun: string): Field<boolean> => ({
  name: 'connection pooler',
  path: 'connectionPooler.enabled',
  reason: 'ConfiguringPooler',
  unset: false,
  text: (isEnabled) => (isEnabled ? 'enabled' : 'disabled'),
  request: (isWanted) => `${isWanted ? 'enable' : 'disable'} the connection pooler of the ${noun}`,
  progress: (_from, to) => `${to === 'enabled' ? 'enabling' : 'disabling'} the connection pooler`,
});

/**
 * The change, which waits while the state of the resource does not allow it. Other changes then go
 * first.
 */
export function postponedUnless<S, Mirror>(
  change: Change<S, Mirror>,
  isPossible: (situation: S) => boolean,
): Change<S, Mirror> {
  return {
    ...change,
    pending(situation) {
      const pending = change.pending(situation);
      return pending && !isPossible(situation) ? { ...pending, isPostponed: true } : pending;
    },
  };
}

/** The size as text. Undefined if the cloud does not report a part of it. */
export function shownSize({ cpuMillis, memoryGbs }: Size = {}): string | undefined {
  return cpuMillis === undefined || memoryGbs === undefined
    ? undefined
    : sizeText({ cpuMillis, memoryGbs });
}
