import type { ResourceRecord } from '../../src/resources/ledger-entry.ts';
import { expect } from 'vitest';
import type { ChangeOperation } from '../../src/reconcile/step/step.ts';
import type { Service } from '../../src/cloud/wire/service.ts';

/**
 * The step that requests a change of a value.
 * @param change the operation, and its arguments after the id
 */
export function asked(
  { operation, ...told }: { readonly operation: ChangeOperation; readonly [part: string]: unknown },
  from: string,
  wanted: string,
  reason: string,
  message: string,
): object {
  return {
    type: 'call',
    action: changing(operation, ['svc-1', ...Object.values(told)], from, wanted),
    reason,
    message,
  };
}

/** The action that requests a change. Its texts for a refusal have tables of their own. */
export function changing(
  operation: ChangeOperation,
  args: readonly unknown[],
  from: string,
  wanted: string,
) {
  const request: unknown = expect.stringMatching(/^[a-z]+ /u);
  const remedy: unknown = expect.stringMatching(/^change spec[.]/u);
  return { type: 'change', change: { operation, args }, from, wanted, request, remedy } as const;
}

/** The step that writes the record. */
export function recorded(record: ResourceRecord, message: unknown): object {
  return { type: 'write', action: { type: 'writeRecord', record }, message };
}

/** The step of a resource that is as wanted, without further messages. */
export const available = {
  type: 'done',
  reason: 'Available',
  message: 'the service is available at db.example.com:5432; Secret "orders-db" has the connection',
} as const;

/** The step of a stopped service, with the changes for later. */
export function stopped(message: string): object {
  return {
    type: 'done',
    reason: 'Stopped',
    message,
    ...(message.includes('when it runs again') && { differs: true }),
  };
}

export const paused = { status: 'PAUSED' } satisfies Partial<Service>;

/** A message that contains this text; the rest of the message may change. */
export function saying(words: string): unknown {
  return expect.stringContaining(words);
}

/** The step that writes the connection Secret. */
export function stored(why: 'is missing or lost its label' | 'is brought up to date'): object {
  const action: unknown = expect.objectContaining({ type: 'storeConnection' });
  return { type: 'write', action, message: `Secret "orders-db" ${why}` };
}
