import type { EnvironmentTag } from '../../cloud/wire/endpoint.ts';
import type { Change } from '../decide/pending-change.ts';

/** The fields that services and replica sets share. Each kind adds its own operation. */

/** Undefined if the cloud does not report the value. */
export interface Size {
  readonly cpuMillis?: number | undefined;
  readonly memoryGbs?: number | undefined;
}

/**
 * The processors and the memory of a resource, which change in the same request.
 * @param noun the kind in messages, such as `service`
 */
export const sizeField = (noun: string) =>
  ({
    name: 'size',
    path: 'cpuMillis/memoryGbs',
    reason: 'Resizing',
    text: sizeText,
    request: ({ cpuMillis, memoryGbs }: Required<Size>) =>
      `resize the ${noun} to ${cpuMillis} millicores, ${memoryGbs} GB`,
    progress: (from: string, to: string) => `resizing from ${from} to ${to}`,
  }) as const;

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
export const environmentField = (noun: string) =>
  ({
    name: 'environment',
    path: 'environment',
    reason: 'SettingEnvironment',
    shown: ({
      metadata,
    }: {
      readonly metadata?: { readonly environment?: string | undefined } | undefined;
    }) => metadata?.environment,
    unset: 'none',
    wanted: ({
      object,
    }: {
      readonly object: { readonly spec: { readonly environment?: EnvironmentTag | undefined } };
    }) => object.spec.environment,
    text: String,
    request: (wanted: EnvironmentTag) => `set the environment of the ${noun} to ${wanted}`,
    progress: (from: string, to: string) => `setting the environment from ${from} to ${to}`,
  }) as const;

interface WithPooler {
  readonly object: {
    readonly spec: { readonly connectionPooler?: { readonly enabled: boolean } | undefined };
  };
}

/**
 * The connection pooler of a resource, enabled or disabled.
 * @param noun the kind in messages, such as `service`
 */
export const connectionPoolerField = (noun: string) =>
  ({
    name: 'connection pooler',
    path: 'connectionPooler.enabled',
    reason: 'ConfiguringPooler',
    shown: ({
      connectionPooler,
    }: {
      readonly connectionPooler?: { readonly endpoint?: unknown } | undefined;
    }): boolean | undefined => (connectionPooler?.endpoint === undefined ? undefined : true),
    unset: false,
    wanted: ({ object }: WithPooler) => object.spec.connectionPooler?.enabled,
    text: (isEnabled: boolean) => (isEnabled ? 'enabled' : 'disabled'),
    request: (isWanted: boolean) =>
      `${isWanted ? 'enable' : 'disable'} the connection pooler of the ${noun}`,
    progress: (_from: string, to: string) =>
      `${to === 'enabled' ? 'enabling' : 'disabling'} the connection pooler`,
  }) as const;

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
