import { account } from './account.ts';
import type { Operation } from './operation.ts';
import { replicaSets } from './replica-sets.ts';
import { services } from './services.ts';
import { vpcs } from './vpcs.ts';

export const accountOperations = account;
/** All operations under a project. */
export const projectOperations = { ...vpcs, ...services, ...replicaSets } as const;

type Name = keyof typeof accountOperations | keyof typeof projectOperations;

/** The whole API, in the order of docs/reference/openapi.yaml, which is generated from it. */
export const operations: Readonly<Record<Name, Operation>> = { ...accountOperations, ...projectOperations };

export function isOperation(name: string): name is Name {
  return Object.hasOwn(operations, name);
}
