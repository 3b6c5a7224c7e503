import { expect } from 'vitest';
import type { ChangeOperation } from '../../src/reconcile/step/cloud-change.ts';
import type { ResourceRecord } from '../../src/reconcile/record/record.ts';
import type { Service } from '../../src/cloud/wire/service.ts';

/**
 * The cloud is asked for one change of a value.
 * @param change the operation, and what it is told after the id
 */
export function asked(
  { operation, ...told }: { readonly operation: ChangeOperation; readonly [part: string]: unknown },
  from: string,
  wanted: string,
  reason: string,
  message: string,
): object {
  return { type: 'call', action: changing(operation, ['svc-1', ...Object.values(told)], from, wanted), reason, message };
}

/** The action that asks for a change; what a refusal of it says stands in tables of its own. */
export function changing(operation: ChangeOperation, args: readonly unknown[], from: string, wanted: string) {
  const request: unknown = expect.stringMatching(/^[a-z]+ /u);
  const remedy: unknown = expect.stringMatching(/^change spec[.]/u);
  return { type: 'change', change: { operation, args }, from, wanted, request, remedy } as const;
}

/** The record is written. */
export function recorded(record: ResourceRecord, message: unknown): object {
  return { type: 'write', action: { type: 'writeRecord', record }, message };
}

/** All is as wanted, and nothing is to be told besides. */
export const available = {
  type: 'done',
  reason: 'Available',
  message: 'the service is available at db.example.com:5432; Secret "orders-db" has the connection',
};

/** It is stopped, and what comes when it runs again. */
export function stopped(message: string): object {
  return { type: 'done', reason: 'Stopped', message };
}

export const paused = { status: 'PAUSED' } satisfies Partial<Service>;

/** A message with these words in it: advice, whose other words may change. */
export function saying(words: string): unknown {
  return expect.stringContaining(words);
}

/** The connection Secret is written. */
export function stored(why: 'is missing' | 'is brought up to date'): object {
  const action: unknown = expect.objectContaining({ type: 'storeConnection' });
  return { type: 'write', action, message: `Secret "orders-db" ${why}` };
}
