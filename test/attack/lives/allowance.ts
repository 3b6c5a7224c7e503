import type { Name } from './life.ts';

/** What may be there more than once, and why: everything else is a second database. */
export interface Allowance {
  /** How often something of that name was asked for. */
  readonly asked: Map<Name, number>;
  /** How often a resource was left in the cloud on purpose, or by taking our finalizer off. */
  readonly left: Map<Name, number>;
  /** Passwords that were ever chosen by anybody: none of them may be read anywhere but in Secrets. */
  readonly passwords: Set<string>;
}

export function allowance(): Allowance {
  return { asked: new Map(), left: new Map(), passwords: new Set() };
}

export function add(counts: Map<Name, number>, name: Name): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}
