import type { Name } from './life.ts';

/** The resources that may exist more than once, and why: any further resource is a second database. */
export interface Allowance {
  /** How often something of that name was asked for. */
  readonly asked: Map<Name, number>;
  /** How often a resource was left in the cloud on purpose, or by taking our finalizer off. */
  readonly left: Map<Name, number>;
  /** The uids of objects whose resource, and so their ledger entry, was left on purpose, or by taking our finalizer off. */
  readonly keptEntries: Set<string>;
  /** All passwords ever chosen: only Secrets may show them. */
  readonly passwords: Set<string>;
}

export function allowance(): Allowance {
  return { asked: new Map(), left: new Map(), keptEntries: new Set(), passwords: new Set() };
}

/** The resource of this object stays in the cloud. */
export function keep(
  allowed: Allowance,
  name: Name,
  { metadata }: { readonly metadata: { readonly uid: string } },
): void {
  add(allowed.left, name);
  allowed.keptEntries.add(metadata.uid);
}

export function add(counts: Map<Name, number>, name: Name): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}
