import type { CallOptions, CloudApi, CloudOperation, Methods } from './cloud-api.ts';
import { accountOperations, isOperation, operations, projectOperations, type Operations } from './wire/all.ts';

/** The ids are in the order of the path. @throws {CloudError} */
export type Call = (operation: CloudOperation, ids: readonly string[], options?: CallOptions, body?: object) => Promise<unknown>;

type Method = (...args: readonly (string | object | undefined)[]) => Promise<unknown>;

export function cloudOperations(call: Call): CloudApi {
  return { ...methods(accountOperations, call), project: (projectId) => methods(projectOperations, call, projectId) };
}

/** See {@link Methods}, without the ids that are `bound`. */
function methods<O extends Operations>(rows: O, call: Call, ...bound: readonly string[]): Methods<O>;
function methods(rows: Operations, call: Call, ...bound: readonly string[]): object {
  const made = Object.keys(rows)
    .filter(isOperation)
    .map((operation) => {
      const method: Method = (...args) => {
        const ids = args.filter((arg) => typeof arg === 'string');
        const objects = args.filter((arg) => typeof arg === 'object');
        const [body, options] = operations[operation].request ? objects : [undefined, ...objects];
        return call(operation, [...bound, ...ids], options, body);
      };
      return [operation, method] as const;
    });
  return Object.fromEntries(made);
}
