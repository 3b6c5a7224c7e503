import { keyOf, type ResourceKey } from '../runtime/index.ts';
import type { ManagedObject } from './situation.ts';

/** The part of a pino logger that reconciling needs. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** How an object is named in every line of the log: `ManagedService/shop/orders`. */
export function logName({ kind, metadata }: Pick<ManagedObject, 'kind' | 'metadata'>): string {
  return logNameOf(kind, keyOf({ metadata }));
}

export function logNameOf(kind: string, key: ResourceKey): string {
  return `${kind}/${key}`;
}
