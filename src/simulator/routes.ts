import { isOperation, operations, type projectOperations, type Operation } from '../cloud/wire/all.ts';
import type { Handler } from './handler.ts';
import { replicaSetHandlers } from './replica-sets.ts';
import { serviceHandlers } from './services.ts';
import { vpcHandlers } from './vpcs.ts';

/** `/auth/info` is not among them. */
const handlers: Readonly<Record<keyof typeof projectOperations, Handler>> = { ...vpcHandlers, ...serviceHandlers, ...replicaSetHandlers };

export interface Route extends Pick<Operation, 'method'> {
  readonly operation: string;
  /** Below /projects/:project_id. */
  readonly path: string;
  /** HTTP status of a success. */
  readonly status: number;
  /** @returns the body of the reply; undefined for none @throws {ApiError} @throws {z.ZodError} for an invalid body */
  readonly handle: Handler;
}

export const routes: readonly Route[] = Object.entries(handlers).flatMap(([operation, handle]) =>
  isOperation(operation) ? [route(operation, operations[operation], handle)] : [],
);

function route(operation: string, { method, path, success: { status, body } }: Operation, handle: Handler): Route {
  const below = path.replace('/projects/{project_id}', '').replaceAll(/\{(\w+)\}/gu, ':$1');
  return {
    operation,
    method,
    path: below,
    status,
    handle(incoming) {
      const resource = handle(incoming);
      return body === 'Message' ? { message: 'done' } : body && resource;
    },
  };
}
